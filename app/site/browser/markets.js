import { matrix } from './matrix.js'
import { collectNames, toWords } from './names.js'
import { matchSchemes } from './schemes.js'

/**
 * @typedef {import('./names.js').Row} Row
 * @typedef {import('./questions.js').Question} Question
 * @typedef {{ scheme?: string, certificates: Row[], approval?: Row }} Held records of one product, country and scheme
 */

/** A valid certificate counts before an approval. @param {Row[]} certificates @param {Row | undefined} approval */
const judge = (certificates, approval) => {
  const valid = certificates.find(({ validity }) => validity === 'valid')
  if (valid?.expiring) return { tone: 'warn', words: `yes, certificate valid until ${valid.valid_until}` }
  if (valid) return { tone: 'good', words: 'yes, certificate valid' }
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
    : { tone: 'bad', words: 'no, granted without a certificate' }
}

/** Lists the schemes that the country requires, then other schemes. @param {string[]} required @param {Row[]} certificates @param {Row[]} approvals */
const describeSchemes = (required, certificates, approvals) => {
  const names = new Set([...certificates, ...approvals].map(({ scheme }) => scheme))
  const held = [...names].map((scheme) => ({
    scheme,
    certificates: certificates.filter((row) => row.scheme === scheme),
    approval: approvals.find((row) => row.scheme === scheme),
  }))
  return matchSchemes(required, held).map(({ required: name, entry }) => ({
    name: name ?? entry?.scheme ?? 'without a scheme',
    tone: 'none',
    words: 'nothing on record',
    ...(entry && judge(entry.certificates, entry.approval)),
  }))
}

/** @type {Question} */
export const markets = {
  key: 'markets',
  targets: [
    '/v1/certificates?country_code[null]=false&fields=number,scheme,product_id,country_code,validity,expiring,valid_until&include=product,country&limit=500',
    '/v1/approvals?fields=scheme,product_id,country_code,status,open&include=product,country&limit=500',
  ],
  excel: '/v1/certificates?country_code[null]=false&format=xlsx',
  columns: [
    { title: 'Product and country', of: (row) => `${row.product}, ${row.country}` },
    { title: 'Reason', of: (row) => row.words.replace(/^(yes|no), /, '') },
    { title: 'Scheme', of: (row) => row.scheme ?? '' },
    { title: 'Certificate', of: (row) => row.number ?? '' },
    { title: 'Valid until', of: (row) => row.valid_until ?? '' },
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
      const own = /** @type {Row[]} */ (held.get(key) ?? [])
      const approvalsOfPlace = requested.get(key) ?? []
      const row = own[0] ?? approvalsOfPlace[0]
      // Records may name a product that does not exist. It has no name to show.
      if (!row || product(row) === row.product_id) return []
      const schemes = describeSchemes(requiredSchemes(row), own, approvalsOfPlace)
      const judged = judge(own, approvalsOfPlace[0])
      return [{ ...row, product: product(row), country: country(row), schemes, ...judged }]
    })
    records.sort((a, b) => a.product.localeCompare(b.product) || a.country.localeCompare(b.country))
    const sold = records.filter(({ words }) => words.startsWith('yes')).length
    const words = `${sold} of ${records.length} product–country combinations may be sold today. Choose a cell to see why.`
    return { words, records, picture: matrix(records, onCell) }
  },
}
