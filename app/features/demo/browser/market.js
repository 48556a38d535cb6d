import { toWords } from './names.js'
import { matchSchemes } from './schemes.js'

/**
 * Decides whether a product may be sold in a country. The service imports this file, too, for `/`.
 * @typedef {{ scheme?: string | null | undefined, validity: string, expiring: boolean, valid_until?: string | null }} Certificate
 * @typedef {{ scheme?: string | null | undefined, status: string }} Approval
 * @typedef {'good' | 'warn' | 'half' | 'open' | 'bad' | 'none'} Tone
 * @typedef {{ tone: Tone, words: string, until?: string | null | undefined }} Judged `until`: last day, if it is near
 * @typedef {Readonly<Record<string, Readonly<Record<string, string>> | undefined>>} Rules
 *   `market` of the definitions of certificates and approvals: outcomes by field and value
 */

/** The worst first. @type {Tone[]} */
const tones = ['bad', 'open', 'warn', 'good']

/** The certificate with the last end comes first. @param {Certificate} a @param {Certificate} b */
const byEnd = ({ valid_until: a }, { valid_until: b }) => (b ?? '9999').localeCompare(a ?? '9999')

/**
 * Judges the records of one scheme. A valid certificate counts before an approval.
 * @param {Rules} rules @param {readonly Certificate[]} certificates @param {readonly Approval[]} approvals @returns {Judged}
 */
const judgeScheme = (rules, certificates, approvals) => {
  /** @param {string} outcome */
  const listCertificates = (outcome) =>
    certificates.filter(({ validity }) => rules.validity?.[validity] === outcome)
  /** @param {string} outcome */
  const findApproval = (outcome) => approvals.find(({ status }) => rules.status?.[status] === outcome)
  const [valid] = listCertificates('allowed').sort(byEnd)
  if (valid?.expiring)
    return {
      tone: 'warn',
      words: `yes, certificate valid until ${valid.valid_until}`,
      until: valid.valid_until,
    }
  if (valid) return { tone: 'good', words: 'yes, certificate valid' }
  const exempt = findApproval('allowed')
  if (exempt) return { tone: 'good', words: `yes, approval ${toWords(exempt.status)}` }
  const open = findApproval('undecided')
  if (open) return { tone: 'open', words: `no, approval ${toWords(open.status)}` }
  const refused = findApproval('refused')
  if (refused) return { tone: 'bad', words: `no, approval ${toWords(refused.status)}` }
  const [future] = listCertificates('undecided')
  if (future) return { tone: 'open', words: `no, certificate ${toWords(future.validity)}` }
  const [certificate] = certificates
  return {
    tone: 'bad',
    words: certificate
      ? `no, certificate ${toWords(certificate.validity)}`
      : 'no, granted without a certificate',
  }
}

/**
 * Judges the records of one product in one country. The worst scheme decides. If each is fine, but a scheme that the
 * country lists has no record, the tone is `half`.
 * @param {Rules} rules
 * @param {readonly string[]} required schemes that the country lists
 * @param {readonly Certificate[]} certificates
 * @param {readonly Approval[]} approvals
 * @returns {Judged & { schemes: (Judged & { name: string })[] }} `schemes`: those that the country lists, then others
 */
export const judgeMarket = (rules, required, certificates, approvals) => {
  const names = new Set([...certificates, ...approvals].map(({ scheme }) => scheme ?? null))
  const matched = matchSchemes(
    required,
    [...names].map((scheme) => ({ scheme })),
  )
  const schemes = matched.map(({ required: listed, entry }) => {
    const own = (/** @type {{ scheme?: string | null | undefined }} */ { scheme = null }) =>
      scheme === entry?.scheme
    const judged = entry && judgeScheme(rules, certificates.filter(own), approvals.filter(own))
    return {
      name: listed ?? entry?.scheme ?? 'without a scheme',
      isListed: listed !== undefined,
      tone: judged?.tone ?? /** @type {Tone} */ ('none'),
      words: judged?.words ?? 'nothing on record',
      until: judged?.until,
    }
  })
  const missing = schemes.filter(({ tone }) => tone === 'none').map(({ name }) => name)
  // A record that matches no scheme may belong to a listed one under another name.
  const isComplete = required.length > 0 && missing.length === 0
  const [worst] = schemes
    .filter(({ tone, isListed }) => tone !== 'none' && (isListed || !isComplete))
    .sort(
      (a, b) => tones.indexOf(a.tone) - tones.indexOf(b.tone) || (a.until ?? '').localeCompare(b.until ?? ''),
    )
  if (!worst) return { tone: 'none', words: 'nothing on record', schemes }
  const { tone, words, until } = worst
  if (missing.length === 0 || tone === 'bad' || tone === 'open') return { tone, words, until, schemes }
  const end = until ? `, certificate valid until ${until}` : ''
  return {
    tone: 'half',
    words: `approved as requested${end}; ${missing.join(', ')}: nothing on record`,
    until,
    schemes,
  }
}
