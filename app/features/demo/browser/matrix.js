import { make } from '../../../site/browser/ui.js'
import { nothingOnRecord } from './schemes.js'
import { addTip } from './tip.js'

/** @type {Record<string, string>} */
const signs = { good: '✓', warn: '!', half: '½', bad: '✕', open: '…' }
const legend = [
  ['good', 'yes'],
  ['warn', 'yes, expires soon'],
  ['half', 'approved as requested, but a listed scheme has no record'],
  ['open', 'not yet'],
  ['bad', 'no'],
  ['none', nothingOnRecord],
]

/** Arrow keys move between cells, and Tab leaves the table (ARIA's grid pattern). @param {HTMLElement} grid */
const moveByArrows = (grid) => {
  grid.addEventListener('keydown', (event) => {
    const cell = /** @type {HTMLElement} */ (event.target).closest('td')
    const row = /** @type {HTMLTableRowElement | null} */ (cell?.parentElement)
    const [down, right] = /** @type {Record<string, number[]>} */ ({
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
    })[event.key] ?? [0, 0]
    if (!cell || !row || (!down && !right)) return
    event.preventDefault()
    const body = /** @type {HTMLTableSectionElement} */ (row.parentElement)
    let [y, x] = [row.sectionRowIndex, cell.cellIndex]
    // Skips empty cells.
    for (;;) {
      y += down ?? 0
      x += right ?? 0
      const other = body.rows[y]?.cells[x]
      if (!other) return
      const button = other.querySelector('button')
      if (!button) continue
      for (const each of grid.querySelectorAll('button')) each.tabIndex = each === button ? 0 : -1
      return button.focus()
    }
  })
}

/** @param {Record<string, any>} row */
const describeCell = ({ product, country, words, schemes }) => [
  make('strong', {}, `${product}, ${country}`),
  make('p', {}, words),
  make(
    'ul',
    {},
    ...schemes.map((/** @type {Record<string, string>} */ { name, tone, words }) =>
      make('li', {}, make('span', { class: tone }, `${name}: `), words ?? ''),
    ),
  ),
]

/** @param {Record<string, any>[]} records @param {(row: Record<string, any>) => void} onCell */
export const matrix = (records, onCell) => {
  const products = [...new Map(records.map((row) => [row.product_id, row.product]))]
  const countries = [...new Map(records.map((row) => [row.country_code, row.country]))].sort(([a], [b]) =>
    a.localeCompare(b),
  )
  const found = new Map(records.map((row) => [`${row.product_id} ${row.country_code}`, row]))
  /** @type {WeakMap<Element, () => Node[]>} */
  const tips = new WeakMap()
  /** @template {Element} T @param {T} cell @param {() => Node[]} tip */
  const withTip = (cell, tip) => {
    tips.set(cell, tip)
    return cell
  }
  let isFirst = true
  /** @param {string[]} product @param {string[]} country */
  const makeCell = ([product = '', name = ''], [code = '', place = '']) => {
    const row = found.get(`${product} ${code}`)
    const empty = () => [make('strong', {}, `${name}, ${place}`), make('p', {}, nothingOnRecord)]
    if (!row) return withTip(make('td', { role: 'gridcell', class: 'none' }), empty)
    const schemes = row.schemes.map(
      (/** @type {Record<string, string>} */ each) => `${each.name}: ${each.words}`,
    )
    const button = make(
      'button',
      {
        type: 'button',
        class: `cell ${row.tone}`,
        'aria-label': [`${name}, ${place}: ${row.words}`, ...schemes].join('. '),
        tabindex: isFirst ? '0' : '-1',
      },
      signs[row.tone],
    )
    isFirst = false
    button.addEventListener('click', () => onCell(row))
    const cell = make('td', { role: 'gridcell', 'data-key': `${product} ${code}` }, button)
    return withTip(cell, () => describeCell(row))
  }
  const heads = countries.map(([code, name]) =>
    withTip(
      make('th', { scope: 'col', role: 'columnheader' }, make('abbr', { 'aria-label': name }, code)),
      () => [make('strong', {}, name)],
    ),
  )
  const lines = products.map(([id, name]) =>
    make(
      'tr',
      { role: 'row' },
      make('th', { scope: 'row', role: 'rowheader' }, name),
      ...countries.map((country) => makeCell([id, name], country)),
    ),
  )
  const grid = make(
    'table',
    { role: 'grid', class: 'matrix', 'aria-label': 'Where each product may be sold today' },
    make(
      'thead',
      { role: 'rowgroup' },
      make('tr', { role: 'row' }, make('td', { role: 'gridcell' }), ...heads),
    ),
    make('tbody', { role: 'rowgroup' }, ...lines),
  )
  moveByArrows(grid)
  const key = legend.map(([tone = '', text = '']) =>
    make('li', {}, make('span', { class: `cell ${tone}`, 'aria-hidden': 'true' }, signs[tone]), text),
  )
  const box = make('div', { class: 'matrix-box' }, make('div', { class: 'scroll' }, grid))
  addTip(box, tips)
  const rule =
    'A certificate counts only for the country that it names. If a country also recognises another mark, one of the two is enough.'
  return make(
    'div',
    {},
    box,
    make('ul', { class: 'legend', 'aria-label': 'Signs' }, ...key),
    make('p', { class: 'soft small' }, rule),
  )
}
