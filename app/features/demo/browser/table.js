import { find, make } from '../../../site/browser/ui.js'

/**
 * A question has `targets` (its requests), `show` (which draws the answers) and a `key` (the fragment of its URL).
 * `columns` of the table are empty if the picture shows everything. `instant` is the time of a cell, for a workbook.
 * @typedef {Record<string, any>} Row
 * @typedef {{ title: string, of: (row: Row) => Node | string, instant?: (row: Row) => string }} Column
 * @typedef {{ words: string, picture: Node, records: Row[] }} Shown
 * @typedef {{ key: string, targets: string[], columns: Column[], show: (bodies: any[], onCell: (row: Row) => void) => Shown }} Question
 */

const maxRows = 100

/** Texts up to this length do not wrap. */
const maxUnbroken = 16

/** @param {Node | string} content */
const cell = (content) =>
  make('td', { class: String(content).length <= maxUnbroken ? 'short' : undefined }, content)

/** @param {HTMLElement} box @param {Column[]} columns @param {Row[]} records */
export const showTable = (box, columns, records) => {
  const head = columns.map(({ title }) => make('th', { scope: 'col' }, title))
  const lines = records
    .slice(0, maxRows)
    .map((row) => make('tr', {}, ...columns.map(({ of }) => cell(of(row)))))
  const rest = records.length - maxRows
  box.replaceChildren(
    make(
      'table',
      { 'aria-labelledby': 'question' },
      make('thead', {}, make('tr', {}, ...head)),
      make('tbody', {}, ...lines),
    ),
    rest > 0 ? make('p', { class: 'soft small' }, `… and ${rest} more in the JSON.`) : '',
  )
  if (records.length === 0) box.replaceChildren(make('p', { class: 'soft' }, 'The answer has no rows.'))
  countVisible(box)
}

/** If the table scrolls, a line below it shows how many of its rows are visible. @param {HTMLElement} box */
const countVisible = (box) => {
  const rows = [...box.querySelectorAll('tbody tr')]
  const { bottom } = box.getBoundingClientRect()
  const isVisible = (/** @type {Element} */ row) =>
    row.getBoundingClientRect().bottom + box.scrollTop <= bottom
  const line = find('#rows-shown', HTMLElement)
  const visible = rows.filter(isVisible).length
  line.hidden = box.hidden || visible === rows.length
  line.textContent = `${visible} of ${rows.length} rows are visible. Scroll the table to see the others.`
}

/** Counts again if the size of the table changes, or another tab hides it. @param {HTMLElement} box */
export const startTable = (box) => new ResizeObserver(() => countVisible(box)).observe(box)
