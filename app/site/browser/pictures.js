import { make } from './ui.js'

/**
 * The pictures of the demo, as HTML and SVG. Words are text and no part of a drawing, so that screen readers, search
 * and large type work. No style attributes and no library.
 */

const svgNamespace = 'http://www.w3.org/2000/svg'

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {...(Node | string)} content
 */
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
 * A timeline: one row for each entry, with its place between the first and the last mark.
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

/**
 * Bars from left to right, one for each stage.
 * @param {string} label
 * @param {{ name: string, count: number, tone: string }[]} entries
 */
export const stages = (label, entries) => {
  const most = Math.max(1, ...entries.map(({ count }) => count))
  const items = entries.map(({ name, count, tone }) =>
    make(
      'li',
      { class: count === 0 ? 'empty' : undefined },
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

/**
 * Columns by the hour of two days.
 * @param {string} label
 * @param {number[]} counts
 * @param {number} now hours since the first column
 */
export const columns = (label, counts, now) => {
  const most = Math.max(1, ...counts)
  const total = counts.reduce((sum, each) => sum + each, 0)
  const said = `${label}: ${total} in ${counts.filter((each) => each > 0).length} hours`
  const bars = counts.map((count, i) => {
    // A single change stays visible beside the many of a night.
    const share = count === 0 ? 0 : Math.max(0.06, count / most)
    const place = { x: percent((i + 0.12) / counts.length), width: percent(0.76 / counts.length) }
    return shape('rect', {
      class: 'fill-open',
      ...place,
      y: percent(1 - share),
      height: percent(share),
      rx: 2,
    })
  })
  const x = percent(now / counts.length)
  const svg = shape(
    'svg',
    { class: 'columns', role: 'img', 'aria-label': said },
    ...[0, 12, 24, 36].map((hour) => {
      const at = percent(hour / counts.length)
      return shape('line', { class: 'grid', x1: at, x2: at, y1: 0, y2: '100%' })
    }),
    ...bars,
    shape('line', { class: 'now', x1: x, x2: x, y1: 0, y2: '100%' }),
  )
  const words = ['yesterday', '12:00', 'today', '12:00'].map((text) => make('span', {}, text))
  return make(
    'div',
    { class: 'by-hour' },
    svg,
    make('div', { class: 'marks', 'aria-hidden': 'true' }, ...words),
  )
}
