import { make } from './ui.js'

/** @typedef {Record<string, any>} Row @typedef {import('./questions.js').Column} Column */

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
    make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...lines)),
    rest > 0 ? make('p', { class: 'soft small' }, `… and ${rest} more in the JSON.`) : '',
  )
  if (records.length === 0) box.replaceChildren(make('p', { class: 'soft' }, 'The answer has no rows.'))
}
