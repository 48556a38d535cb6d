import { make } from './ui.js'

/** @type {Record<string, string>} */
const signs = { good: '✓', warn: '!', bad: '✕', open: '…' }
const legend = [
  ['good', 'yes'],
  ['warn', 'yes, expires soon'],
  ['open', 'not yet'],
  ['bad', 'no'],
]

/** Arrow keys lead from cell to cell, and Tab leads past all of them (ARIA's pattern of a grid). @param {HTMLElement} grid */
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
    // Over empty cells, to the edge of the grid.
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

/**
 * Products and countries: a cell says whether the product may be sold there.
 * @param {Record<string, any>[]} records
 * @param {(product: string, country: string) => void} onCell
 */
export const matrix = (records, onCell) => {
  const products = [...new Map(records.map((row) => [row.product_id, row.product]))]
  const countries = [...new Map(records.map((row) => [row.country_code, row.country]))].sort(([a], [b]) =>
    a.localeCompare(b),
  )
  const found = new Map(records.map((row) => [`${row.product_id} ${row.country_code}`, row]))
  let isFirst = true
  const cellOf = (/** @type {string} */ product, /** @type {string} */ country) => {
    const row = found.get(`${product} ${country}`)
    if (!row) return make('td', { role: 'gridcell' })
    const name = `${row.product}, ${row.country}: ${row.words}`
    const button = make(
      'button',
      {
        type: 'button',
        class: `cell ${row.tone}`,
        'aria-label': name,
        title: name,
        tabindex: isFirst ? '0' : '-1',
      },
      signs[row.tone],
    )
    isFirst = false
    button.addEventListener('click', () => onCell(product, country))
    return make('td', { role: 'gridcell' }, button)
  }
  const heads = countries.map(([code, name]) =>
    make('th', { scope: 'col', role: 'columnheader' }, make('abbr', { title: name }, code)),
  )
  const lines = products.map(([id, name]) =>
    make(
      'tr',
      { role: 'row' },
      make('th', { scope: 'row', role: 'rowheader' }, name),
      ...countries.map(([code]) => cellOf(id, code)),
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
  return make(
    'div',
    {},
    make('div', { class: 'scroll' }, grid),
    make('ul', { class: 'legend' }, ...key),
    make('div', { id: 'why', role: 'status' }),
  )
}
