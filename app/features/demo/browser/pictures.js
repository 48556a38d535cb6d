import { make } from '../../../site/browser/ui.js'

/** Texts of the pictures are HTML, not SVG, so that screen readers, search and large type work. */

const svgNamespace = 'http://www.w3.org/2000/svg'

/** @param {string} name @param {Record<string, string | number>} attributes @param {...(Node | string)} content */
const shape = (name, attributes, ...content) => {
  const element = document.createElementNS(svgNamespace, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  element.append(...content)
  return element
}

const percent = (/** @type {number} */ share) => `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%`

/** @param {number} share @param {string} tone @param {{ at: number }[]} marks */
const track = (share, tone, marks) =>
  shape(
    'svg',
    { class: 'track', 'aria-hidden': 'true', focusable: 'false' },
    ...marks.map(({ at }) =>
      shape('line', { class: 'grid', x1: percent(at), x2: percent(at), y1: 0, y2: '100%' }),
    ),
    shape('line', { class: `stroke-${tone}`, x1: 0, x2: percent(share), y1: '50%', y2: '50%' }),
    shape('circle', { class: `fill-${tone}`, cx: percent(share), cy: '50%', r: 6 }),
  )

/**
 * Draws one row for each entry. `share` is its position, 0 at the first mark and 1 at the last.
 * @param {string} label
 * @param {{ name: string, detail: string, share: number, value: string, tone: string }[]} entries
 * @param {{ at: number, text: string }[]} marks
 */
export const rows = (label, entries, marks) => {
  const scale = make(
    'div',
    { class: 'scale', 'aria-hidden': 'true' },
    make('span'),
    make('div', { class: 'marks' }, ...marks.map(({ text }) => make('span', {}, text))),
  )
  const items = entries.map(({ name, detail, share, value, tone }) =>
    make(
      'li',
      {},
      make('span', { class: 'what' }, make('strong', {}, name), make('span', {}, detail)),
      track(share, tone, marks),
      make('span', { class: `when ${tone}` }, value),
    ),
  )
  return make('div', { class: 'timeline' }, scale, make('ol', { 'aria-label': label }, ...items))
}

/** Draws one horizontal bar for each entry. @param {string} label @param {{ key: string, name: string, count: number, tone: string }[]} entries */
export const stages = (label, entries) => {
  const most = Math.max(1, ...entries.map(({ count }) => count))
  const items = entries.map(({ key, name, count, tone }) =>
    make(
      'li',
      { class: count === 0 ? 'empty' : undefined, 'data-key': key },
      make('span', { class: 'what' }, name),
      shape(
        'svg',
        { class: 'level', 'aria-hidden': 'true', focusable: 'false' },
        shape('rect', { class: `fill-${tone}`, width: percent(count / most), height: '100%', rx: 3 }),
      ),
      make('span', { class: 'when' }, String(count)),
    ),
  )
  return make('ol', { class: 'stages', 'aria-label': label }, ...items)
}

/** Draws one column for each day. Every seventh has a label, from the last one back. @param {string} label @param {{ key: string, name: string, count: number }[]} bars */
export const columns = (label, bars) => {
  // With counts below 4, no column is as high as the picture.
  const most = Math.max(4, ...bars.map(({ count }) => count))
  const items = bars.map(({ key, name, count }, i) =>
    make(
      'li',
      { 'data-key': key, title: `${name}: ${count}` },
      make('span', { class: 'visually-hidden' }, `${name}: `),
      make(
        'span',
        { class: 'column' },
        make('span', { class: count === 0 ? 'visually-hidden' : 'count' }, String(count)),
        shape(
          'svg',
          { width: '70%', height: percent((count / most) * 0.88), 'aria-hidden': 'true', focusable: 'false' },
          shape('rect', { class: 'fill-open', width: '100%', height: '100%', rx: 2 }),
        ),
      ),
      make('span', { class: 'name', 'aria-hidden': 'true' }, (bars.length - 1 - i) % 7 === 0 ? name : ''),
    ),
  )
  return make('ol', { class: 'columns', 'aria-label': label }, ...items)
}
