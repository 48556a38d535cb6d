import { matrix } from './matrix.js'
import { namesOf, toWords } from './names.js'

/**
 * @typedef {import('./names.js').Row} Row
 * @typedef {import('./questions.js').Question} Question
 */

/** Where a product may be sold, from the best there is. @param {Row[]} certificates @param {Row | undefined} approval */
const judge = (certificates, approval) => {
  const valid = certificates.find(({ validity }) => validity === 'valid')
  if (valid?.expiring) return { tone: 'warn', words: `yes, until ${valid.valid_until}` }
  if (valid) return { tone: 'good', words: 'yes' }
  if (approval?.status === 'not_required') return { tone: 'good', words: 'yes, no approval required' }
  if (approval && approval.status !== 'granted')
    return {
      tone: approval.open || approval.status === 'planned' ? 'open' : 'bad',
      words: `no, approval ${toWords(approval.status)}`,
    }
  const [certificate] = certificates
  return certificate
    ? {
        tone: certificate.validity === 'not_yet_valid' ? 'open' : 'bad',
        words: `no, certificate ${toWords(certificate.validity)}`,
      }
    : undefined
}

/** Where may this product be sold today, and why not? @type {Question} */
export const markets = {
  key: 'markets',
  targets: [
    '/v1/certificates?country_code[null]=false&fields=product_id,country_code,validity,expiring,valid_until&include=product,country&limit=500',
    '/v1/approvals?fields=product_id,country_code,status,open&include=product,country&limit=500',
  ],
  columns: [
    { title: 'Product', of: (row) => row.product },
    { title: 'Country', of: (row) => row.country },
    { title: 'May be sold today', of: (row) => row.words },
  ],
  show(bodies, onCell) {
    const { product, country } = namesOf(bodies)
    const [certificates = [], approvals = []] = bodies.map(({ data }) => data)
    const place = (/** @type {Row} */ row) => `${row.product_id} ${row.country_code}`
    const held = Map.groupBy(
      certificates.filter((/** @type {Row} */ row) => row.product_id),
      place,
    )
    const asked = new Map(approvals.map((/** @type {Row} */ row) => [place(row), row]))
    const records = [...new Set([...held.keys(), ...asked.keys()])].flatMap((key) => {
      const rowsOfPlace = /** @type {Row[]} */ (held.get(key) ?? [])
      const row = rowsOfPlace[0] ?? asked.get(key)
      const judged = judge(rowsOfPlace, asked.get(key))
      // A product that is not stored has no name to show.
      return judged && product(row) !== row?.product_id
        ? [{ ...row, product: product(row), country: country(row), ...judged }]
        : []
    })
    records.sort((a, b) => a.product.localeCompare(b.product) || a.country.localeCompare(b.country))
    const sold = records.filter(({ words }) => words.startsWith('yes')).length
    const words = `${sold} of ${records.length} pairs of product and country are open for sale today. Choose a cell to ask why.`
    return { words, records, picture: matrix(records, onCell) }
  },
}
