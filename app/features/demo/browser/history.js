import { find, make } from '../../../site/browser/ui.js'
import { moment, number } from '../../../site/browser/units.js'
import { recordTimeline } from './record-timeline.js'

/** @typedef {import('./table.js').Question} Question */

const most = 20

/** The fragment of the URL: `history`, or `history/<resource>/<id>`. */
const address = /^history(?:\/(?<resource>[a-z]+)\/(?<id>[\w.~-]{1,64}))?$/

const select = () => find('#record', HTMLSelectElement)

/** Selects the record in the list, and adds it if it is missing. @param {string} record resource and id */
const choose = (record) => {
  if (![...select().options].some(({ value }) => value === record))
    select().append(make('option', { value: record }, record))
  select().value = record
}

/** Returns `<resource>/<id>`; for `history`, of the selected record. `undefined` for other fragments. @param {string} key */
export const toRecord = (key) => {
  const { resource, id } = address.exec(key)?.groups ?? {}
  if (resource && id) return `${resource}/${id}`
  return key === 'history' ? select().value : undefined
}

/** The open record, and its newest entry at that time. Later entries are marked as new. */
const opened = { record: '', at: '' }

/** @param {string} record resource and id @returns {Question} */
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

export const startHistory = () => {
  select().addEventListener('change', () => {
    location.hash = `history/${select().value}`
  })
}
