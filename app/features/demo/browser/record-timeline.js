import { make } from '../../../site/browser/ui.js'
import { getTitle, valueWords } from './entry-words.js'
import { toWords } from './names.js'

/** @typedef {import('./entry-words.js').Entry} Entry */

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** Lists statuses first, because people look for them. @param {Entry} entry */
const sorted = ({ changes }) =>
  Object.entries(changes).sort(
    ([a], [b]) => Number(/status|validity/.test(b)) - Number(/status|validity/.test(a)),
  )

/** Values up to this length, such as dates, do not wrap. */
const maxUnbroken = 24

/** @param {'span' | 'strong'} name @param {unknown} value @param {string} [kind] */
const valueElement = (name, value, kind = '') => {
  const words = valueWords(value)
  return make(name, { class: words.length <= maxUnbroken ? `short ${kind}` : kind }, words)
}

/** @param {[string, { from: unknown, to: unknown }]} change */
const renderChange = ([field, { from, to }]) =>
  make(
    'li',
    {},
    make('span', { class: 'soft' }, `${toWords(field)}: `),
    make('span', { class: 'visually-hidden' }, 'from\u00a0'),
    valueElement('span', from, 'former'),
    make('span', { 'aria-hidden': 'true' }, ' → '),
    make('span', { class: 'visually-hidden' }, ' to '),
    valueElement('strong', to),
  )

/** Renders a created or deleted record: its status, and all values folded. @param {Entry} entry */
const renderWhole = (entry) => {
  /** @param {{ from: unknown, to: unknown }} change */
  const getSide = ({ from, to }) => (entry.op === 'create' ? to : from)
  const values = Object.entries(entry.changes)
  const [first] = sorted(entry).filter(([field]) => /status/.test(field))
  const rows = values.map(([field, change]) =>
    make('li', {}, make('span', { class: 'soft' }, `${toWords(field)}: `), valueWords(getSide(change))),
  )
  return [
    make(
      'p',
      {},
      first ? `${toWords(first[0])}: ` : '',
      first ? valueElement('strong', getSide(first[1])) : '',
    ),
    make('details', {}, make('summary', {}, `All ${values.length} values`), make('ul', {}, ...rows)),
  ]
}

/** @param {Entry} entry @param {string} seen later entries are marked as new */
const renderEntry = (entry, seen) => {
  const { kind, title } = getTitle(entry)
  const clock = kind === 'day' ? 'by the calendar, at 00:00 UTC' : `${entry.at.slice(11, 19)} UTC`
  const head = make(
    'h4',
    {},
    title,
    ' ',
    make('time', { datetime: entry.at, class: 'soft' }, clock),
    entry.at > seen ? make('span', { class: 'news' }, 'just now') : '',
  )
  const whole = kind === 'create' || kind === 'delete'
  const content = whole ? renderWhole(entry) : [make('ul', {}, ...sorted(entry).map(renderChange))]
  return make('li', { class: kind }, head, ...content)
}

/** Returns the history by day. @param {Entry[]} entries newest first @param {string} seen @param {boolean} hasMore older entries exist */
export const recordTimeline = (entries, seen, hasMore) => {
  const days = Map.groupBy(entries, ({ at }) => day.format(new Date(at)))
  const parts = [...days].flatMap(([name, list]) => [
    make('h3', {}, name),
    make('ol', { 'aria-label': name }, ...list.map((entry) => renderEntry(entry, seen))),
  ])
  const rest = hasMore
    ? make('p', { class: 'soft small' }, 'Older entries are on the next page of the same request.')
    : ''
  return make('div', { class: 'record-timeline' }, ...parts, rest)
}
