import { judgeMarket } from './market.js'
import { matrix } from './matrix.js'
import { collectNames } from './names.js'
import { withoutScheme } from './schemes.js'
import { marketRules } from './stage.js'

/**
 * @typedef {import('./names.js').Row} Row
 * @typedef {import('./table.js').Question} Question
 */

/** A valid certificate without an end is unlimited. Other records without an end have none yet. @param {Row} row */
const toEnd = ({ valid_until: end, validity }) => end ?? (validity === 'valid' ? 'unlimited' : '')

/** @type {Question} */
export const markets = {
  key: 'markets',
  targets: [
    '/v1/certificates?country_code[null]=false&fields=number,scheme,product_id,country_code,approval_status,validity,expiring,valid_from,valid_until&include=product,country&limit=500',
    '/v1/approvals?fields=scheme,product_id,country_code,status,open&include=product,country&limit=500',
  ],
  columns: [
    { title: 'Product and country', of: (row) => `${row.product}, ${row.country}` },
    { title: 'Reason', of: (row) => row.words.replace(/^(yes|no), /, '') },
    { title: 'Scheme', of: (row) => row.scheme ?? withoutScheme },
    { title: 'Certificate', of: (row) => row.number ?? '' },
    { title: 'Valid until', of: toEnd },
  ],
  show(bodies, onCell) {
    const { product, country, requiredSchemes } = collectNames(bodies)
    const [certificates = [], approvals = []] = bodies.map(({ data }) => data)
    const place = (/** @type {Row} */ row) => `${row.product_id} ${row.country_code}`
    const held = Map.groupBy(
      certificates.filter((/** @type {Row} */ row) => row.product_id),
      place,
    )
    const requested = Map.groupBy(/** @type {Row[]} */ (approvals), place)
    const records = [...new Set([...held.keys(), ...requested.keys()])].flatMap((key) => {
      const own = /** @type {any[]} */ (held.get(key) ?? [])
      const approvalsOfPlace = /** @type {any[]} */ (requested.get(key) ?? [])
      const row = own[0] ?? approvalsOfPlace[0]
      // Records may name a product that does not exist. It has no name to show.
      if (!row || product(row) === row.product_id) return []
      const judged = judgeMarket(marketRules, requiredSchemes(row), own, approvalsOfPlace)
      const { product_id, country_code } = row
      const names = { product_id, country_code, product: product(row), country: country(row) }
      return [{ ...judged.record, ...names, ...judged }]
    })
    records.sort((a, b) => a.product.localeCompare(b.product) || a.country.localeCompare(b.country))
    const sold = records.filter(({ tone }) => tone === 'good' || tone === 'warn').length
    const half = records.filter(({ tone }) => tone === 'half').length
    const words = `${sold} of ${records.length} product–country combinations may be sold today. For ${half} more, a scheme that the country lists has nothing on record. Choose a cell to see why.`
    return { words, records, picture: matrix(records, onCell) }
  },
}
