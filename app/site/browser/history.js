import { recordTimeline } from './record-timeline.js'
import { find, make } from './ui.js'
import { moment, number } from './units.js'

/**
 * The question about the history of one record.
 * @typedef {import('./questions.js').Question} Question
 */

/** Entries on a page. Older ones are on the next page of the same request. */
const most = 20

/** The fragment of the page's address: `history`, or `history/<resource>/<id>`. */
const address = /^history(?:\/(?<resource>[a-z]+)\/(?<id>[\w.~-]{1,64}))?$/

const select = () => find('#record', HTMLSelectElement)

/** Selects the record in the list, and adds it if it is missing. @param {string} record resource and id */
const choose = (record) => {
  if (![...select().options].some(({ value }) => value === record))
    select().append(make('option', { value: record }, record))
  select().value = record
}

/**
 * Returns the record that the page's address names, as `<resource>/<id>`. `#history` is the selected one. `undefined` if
 * the address is that of another question.
 * @param {string} key the fragment without `#`
 */
export const toRecord = (key) => {
  const { resource, id } = address.exec(key)?.groups ?? {}
  if (resource && id) return `${resource}/${id}`
  return key === 'history' ? select().value : undefined
}

/** The newest entry when the record was opened. Later ones are marked as news. */
const opened = { record: '', at: '' }

/** The question for a record. @param {string} record resource and id @returns {Question} */
export const toHistory = (record) => ({
  key: 'history',
  targets: [`/v1/${record}/history?limit=${most}`],
  // The timeline shows everything.
  columns: [],
  show([{ data, page }]) {
    choose(record)
    if (opened.record !== record) Object.assign(opened, { record, at: data[0]?.at ?? '' })
    const name = select().selectedOptions[0]?.text
    const shown = page.has_more ? `the newest ${number(data.length)}` : number(data.length)
    const entries = data.length === 1 ? '1 entry' : `${shown} entries`
    const last = data[0] ? `, the last one on ${moment(data[0].at)}` : ''
    const words = `${name}: ${entries}${last}. Complete since ${moment(page.history_from)}.`
    return { words, records: [], picture: recordTimeline(data, opened.at, page.has_more) }
  },
})

/** Opens the record that is selected in the list. */
export const startHistory = () => {
  select().addEventListener('change', () => {
    location.hash = `history/${select().value}`
  })
}
