import { titleOf, valueWords } from './entry-words.js'
import { toWords } from './names.js'
import { recordTimeline } from './record-timeline.js'
import { find, make } from './ui.js'
import { moment, number } from './units.js'

/**
 * The question what happened to a record: which record it is about, what it asks, and its words.
 * @typedef {import('./questions.js').Question} Question
 * @typedef {import('./entry-words.js').Entry} Entry
 */

/** Entries on a page. The rest is a page of the same request. */
const most = 20

/** What the page is about: `history`, or `history/<resource>/<id>`. */
const address = /^history(?:\/(?<resource>[a-z]+)\/(?<id>[\w.~-]{1,64}))?$/

const select = () => find('#record', HTMLSelectElement)

/** Shows the record in the list, which does not have all of them. @param {string} record resource and id */
const choose = (record) => {
  if (![...select().options].some(({ value }) => value === record))
    select().append(make('option', { value: record }, record))
  select().value = record
}

/**
 * The record that an address of the page names, as `<resource>/<id>`; without a name the one that is chosen. Undefined:
 * it is the address of something else.
 * @param {string} key what follows `#`
 */
export const recordOf = (key) => {
  const { resource, id } = address.exec(key)?.groups ?? {}
  if (resource && id) return `${resource}/${id}`
  return key === 'history' ? select().value : undefined
}

/** What the timeline of this record had newest when it was opened: what is newer came since. */
const opened = { record: '', at: '' }

/** The question for a record. @param {string} record resource and id @returns {Question} */
export const historyOf = (record) => ({
  key: 'history',
  targets: [`/v1/${record}/history?limit=${most}`],
  columns: [
    { title: 'At (UTC)', of: (row) => moment(row.at).replace(' UTC', '') },
    { title: 'What', of: (row) => row.title },
    { title: 'Field', of: (row) => toWords(row.field) },
    { title: 'From', of: (row) => valueWords(row.from) },
    { title: 'To', of: (row) => valueWords(row.to) },
  ],
  show([{ data, page }]) {
    choose(record)
    if (opened.record !== record) Object.assign(opened, { record, at: data[0]?.at ?? '' })
    const name = select().selectedOptions[0]?.text
    const shown = page.has_more ? `the newest ${number(data.length)}` : number(data.length)
    const entries = data.length === 1 ? '1 entry' : `${shown} entries`
    const last = data[0] ? `, the last one on ${moment(data[0].at)}` : ''
    const words = `${name}: ${entries}${last}. Complete since ${moment(page.history_from)}.`
    const records = data.flatMap((/** @type {Entry} */ entry) =>
      Object.entries(entry.changes).map(([field, change]) => ({
        ...change,
        at: entry.at,
        title: titleOf(entry).title,
        field,
      })),
    )
    return { words, records, picture: recordTimeline(data, opened.at, page.has_more) }
  },
})

/** Makes the list of records lead to their addresses. */
export const startHistory = () => {
  select().addEventListener('change', () => {
    location.hash = `history/${select().value}`
  })
}
