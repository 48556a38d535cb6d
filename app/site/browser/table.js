import { make } from './ui.js'

/**
 * @typedef {Record<string, any>} Row
 * @typedef {import('./questions.js').Column} Column
 */

const maxRows = 100
const maxColumns = 6

/** @param {unknown} value */
const toText = (value) =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

/** Longer texts may wrap. */
const maxUnbroken = 16

/** @param {string} text */
const cell = (text) => make('td', { class: text.length <= maxUnbroken ? 'short' : undefined }, text)

/** @param {HTMLElement} box @param {Column[]} columns @param {Row[]} records */
export const showTable = (box, columns, records) => {
  const head = columns.map(({ title }) => make('th', { scope: 'col' }, title))
  const lines = records
    .slice(0, maxRows)
    .map((row) => make('tr', {}, ...columns.map(({ of }) => cell(of(row)))))
  const rest = records.length - maxRows
  box.replaceChildren(
    make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...lines)),
    rest > 0 ? make('p', { class: 'soft small' }, `… and ${rest} more in the JSON.`) : '',
  )
  if (records.length === 0) box.replaceChildren(make('p', { class: 'soft' }, 'The answer has no rows.'))
}

/** Shows any answer: a list as rows, a single record or a refusal as names and values. @param {HTMLElement} box @param {any} body */
export const showAnyTable = (box, body) => {
  const data = body?.data ?? body
  if (Array.isArray(data)) {
    const names = Object.keys(data[0] ?? {}).slice(0, maxColumns)
    showTable(
      box,
      names.map((title) => ({ title, of: (row) => toText(row[title]) })),
      data,
    )
    return
  }
  const pairs = Object.entries(data ?? {}).map(([name, value]) => ({ name, value }))
  const columns = [
    { title: 'Field', of: (/** @type {Row} */ row) => row.name },
    { title: 'Value', of: (/** @type {Row} */ row) => toText(row.value) },
  ]
  showTable(box, columns, pairs)
}
