import { markets } from './markets.js'
import { namesOf, toWords } from './names.js'
import { columns, rows, stages } from './pictures.js'
import { make } from './ui.js'
import { date, moment, number } from './units.js'

/**
 * The ready questions: what each asks the API, and what the answer looks like. A question has an address of its own,
 * its key behind `#`.
 * @typedef {Record<string, any>} Row
 * @typedef {{ title: string, of: (row: Row) => string }} Column
 * @typedef {{ words: string, picture: Node, records: Row[] }} Shown
 * @typedef {{ key: string, targets: string[], columns: Column[], show: (bodies: any[], onCell: (product: string, country: string) => void) => Shown }} Question
 */

const dayMs = 86_400_000

/** @param {number} days */
const inDays = (days) => (days === 0 ? 'today' : days === 1 ? '1 day' : `${days} days`)

/** @type {Question} */
const expiring = {
  key: 'expiring',
  targets: [
    '/v1/certificates?expiring=true&expiring_within=90&sort=valid_until&include=product,country&fields=number,scheme,product_id,country_code,valid_until,days_remaining&limit=100',
  ],
  columns: [
    { title: 'Product', of: (row) => row.product },
    { title: 'Country', of: (row) => row.country },
    { title: 'Scheme', of: (row) => row.scheme ?? '' },
    { title: 'Valid until', of: (row) => row.valid_until },
    { title: 'Days left', of: (row) => String(row.days_remaining) },
    { title: 'Number', of: (row) => row.number },
  ],
  show(bodies) {
    const { product, country } = namesOf(bodies)
    const records = bodies[0].data.map((/** @type {Row} */ row) => ({
      ...row,
      product: product(row),
      country: country(row) || 'all countries',
    }))
    const [first] = records
    const words = first
      ? `${records.length} certificates end within 90 days. The first is that of ${first.product}, ${first.country}: ${first.days_remaining === 0 ? 'it ends today' : `${inDays(first.days_remaining)} left`}.`
      : 'No certificate ends within 90 days.'
    const today = Date.now()
    const marks = [0, 30, 60, 90].map((days) => ({
      at: days / 90,
      text: days === 0 ? 'today' : date.format(today + days * dayMs),
    }))
    const entries = records.map((/** @type {Row} */ row) => ({
      name: row.product,
      detail: `${row.country}, ${row.scheme ?? 'no scheme'}`,
      share: row.days_remaining / 90,
      value: inDays(row.days_remaining),
      tone: row.days_remaining <= 14 ? 'bad' : row.days_remaining <= 60 ? 'warn' : 'good',
    }))
    return { words, records, picture: rows('Certificates by their last day', entries, marks) }
  },
}

const order =
  'planned preparing testing submitted in_review information_requested on_hold granted rejected cancelled not_required'
/** @type {Record<string, string>} */
const stageTones = {
  granted: 'good',
  rejected: 'bad',
  cancelled: 'none',
  not_required: 'none',
  planned: 'none',
  on_hold: 'warn',
  information_requested: 'warn',
}

/** @type {Question} */
const approvals = {
  key: 'approvals',
  targets: [
    '/v1/approvals?sort=expected_on&fields=product_id,country_code,scheme,status,open,phase,expected_on&include=product,country&limit=500',
  ],
  columns: [
    { title: 'Product', of: (row) => row.product },
    { title: 'Country', of: (row) => row.country },
    { title: 'Scheme', of: (row) => row.scheme },
    { title: 'Stage', of: (row) => toWords(row.status) },
    { title: 'Expected on', of: (row) => row.expected_on ?? '' },
  ],
  show(bodies) {
    const { product, country } = namesOf(bodies)
    const records = bodies[0].data.map((/** @type {Row} */ row) => ({
      ...row,
      product: product(row),
      country: country(row),
    }))
    const open = records.filter((/** @type {Row} */ row) => row.open).length
    const counted = order.split(' ').map((status) => {
      const those = records.filter((/** @type {Row} */ row) => row.status === status)
      return { name: toWords(status), count: those.length, tone: stageTones[status] ?? 'open' }
    })
    const words = `${open} of ${records.length} approvals are under way. The amber bars wait: for information from you, or because they are on hold.`
    return { words, records, picture: stages('Approvals by stage', counted) }
  },
}

/** @type {Question} */
const changes = {
  key: 'changes',
  targets: [
    '/v1/approvals?updated_at[gte]=today-1d&sort=-updated_at&fields=product_id,country_code,status,updated_at&include=product,country&limit=500',
  ],
  columns: [
    { title: 'At (UTC)', of: (row) => moment(row.updated_at).replace(' UTC', '') },
    { title: 'Product', of: (row) => row.product },
    { title: 'Country', of: (row) => row.country },
    { title: 'Status', of: (row) => toWords(row.status) },
  ],
  show(bodies) {
    const { product, country } = namesOf(bodies)
    const records = bodies[0].data.map((/** @type {Row} */ row) => ({
      ...row,
      product: product(row),
      country: country(row),
    }))
    const start = Math.floor(Date.now() / dayMs) * dayMs - dayMs
    const counts = Array.from({ length: 48 }, () => 0)
    for (const { updated_at: at } of records) {
      const hour = Math.min(47, Math.max(0, Math.floor((Date.parse(at) - start) / 3_600_000)))
      counts[hour] = (counts[hour] ?? 0) + 1
    }
    const [last] = records
    const words = last
      ? `${number(records.length)} approvals changed since yesterday, the last one on ${moment(last.updated_at)}. Dates of the example move with the calendar, so records change each night.`
      : 'No approval changed since yesterday.'
    const picture = make(
      'div',
      {},
      columns('Approvals by the hour of their last change, UTC', counts, (Date.now() - start) / 3_600_000),
    )
    const latest = records
      .slice(0, 5)
      .map((/** @type {Row} */ row) =>
        make(
          'li',
          {},
          make('span', { class: 'mono' }, moment(row.updated_at)),
          ' ',
          make('a', { href: `#history/approvals/${row.id}` }, `${row.product}, ${row.country}`),
          ': ',
          make('strong', {}, toWords(row.status)),
        ),
      )
    picture.append(make('h3', {}, 'The latest changes'), make('ol', { class: 'latest' }, ...latest))
    return { words, records, picture }
  },
}

/** In the order of the page. */
export const questions = [expiring, markets, approvals, changes]
