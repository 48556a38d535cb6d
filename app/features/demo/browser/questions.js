import { date } from '../../../site/browser/units.js'
import { changes } from './changes.js'
import { markets } from './markets.js'
import { collectNames, toWords } from './names.js'
import { rows, stages } from './pictures.js'

/** @typedef {import('./table.js').Row} Row @typedef {import('./table.js').Question} Question */

const dayMs = 86_400_000

/** @param {number} days */
const inDays = (days) => (days === 0 ? 'today' : days === 1 ? '1 day' : `${days} days`)

/** @type {Question} */
const expiring = {
  key: 'expiring',
  targets: [
    '/v1/certificates?expiring=true&expiring_within=90&sort=valid_until&include=product,country&fields=number,scheme,product_id,country_code,authority,certificate_type,holder,valid_until,days_remaining&limit=100',
  ],
  columns: [
    { title: 'Product and country', of: (row) => `${row.product}, ${row.country}` },
    { title: 'Number', of: (row) => row.number },
    { title: 'Type', of: (row) => toWords(row.certificate_type) },
    { title: 'Authority', of: (row) => row.authority ?? '' },
    { title: 'Holder', of: (row) => row.holder ?? '' },
    { title: 'Valid until', of: (row) => row.valid_until },
  ],
  show(bodies) {
    const { product, country } = collectNames(bodies)
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
export const approvals = {
  key: 'approvals',
  targets: [
    '/v1/approvals?sort=expected_on&fields=product_id,country_code,scheme,status,open,phase,submitted_on,expected_on&include=product,country&limit=500',
  ],
  columns: [
    { title: 'Product', of: (row) => row.product },
    { title: 'Country', of: (row) => row.country },
    { title: 'Scheme', of: (row) => row.scheme },
    { title: 'Stage', of: (row) => toWords(row.status) },
    { title: 'Phase', of: (row) => toWords(row.phase) },
    { title: 'Submitted on', of: (row) => row.submitted_on ?? '' },
    { title: 'Expected on', of: (row) => row.expected_on ?? '' },
  ],
  show(bodies) {
    const { product, country } = collectNames(bodies)
    const records = bodies[0].data.map((/** @type {Row} */ row) => ({
      ...row,
      product: product(row),
      country: country(row),
    }))
    // Approvals in progress come first. Within each group the service's order stays.
    records.sort((/** @type {Row} */ a, /** @type {Row} */ b) => Number(b.open) - Number(a.open))
    const open = records.filter((/** @type {Row} */ row) => row.open).length
    const counted = order.split(' ').map((status) => {
      const those = records.filter((/** @type {Row} */ row) => row.status === status)
      return {
        key: status,
        name: toWords(status),
        count: those.length,
        tone: stageTones[status] ?? 'open',
      }
    })
    const words = `${open} of ${records.length} approvals are in progress. The amber ones wait: for information from you, or on hold.`
    return { words, records, picture: stages('Approvals by stage', counted) }
  },
}

export const questions = [expiring, markets, approvals, changes]
