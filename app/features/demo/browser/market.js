import { toWords } from './names.js'
import { isAlternative, matchSchemes, nothingOnRecord, withoutScheme } from './schemes.js'

/**
 * Decides whether a product may be sold in a country. The service imports this file, too, for `/`.
 * @typedef {{ scheme?: string | null | undefined, validity: string, expiring: boolean, approval_status?: string, valid_from?: string | null, valid_until?: string | null }} Certificate
 * @typedef {{ scheme?: string | null | undefined, status: string }} Approval
 * @typedef {'good' | 'warn' | 'half' | 'open' | 'bad' | 'none'} Tone
 * @typedef {{ tone: Tone, words: string, until?: string | null | undefined, record?: Certificate | Approval | undefined }} Judged
 *   `until`: last day, if it is near; `record`: the one that decides
 * @typedef {Judged & { name: string, isListed: boolean }} Scheme
 * @typedef {Readonly<Record<string, Readonly<Record<string, string>> | undefined>>} Rules
 *   `market` of the definitions of certificates and approvals: outcomes by field and value
 */

/** The worst first. @type {Tone[]} */
const tones = ['none', 'bad', 'open', 'half', 'warn', 'good']

/** The certificate with the last end comes first. @param {Certificate} a @param {Certificate} b */
const byEnd = ({ valid_until: a }, { valid_until: b }) => (b ?? '9999').localeCompare(a ?? '9999')

/** A pending certificate names no first day that counts. @param {Certificate} certificate */
const validityWords = ({ validity, approval_status: status, valid_from: from }) =>
  from && status !== 'pending' ? `${toWords(validity)}, valid from ${from}` : toWords(validity)

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
      record: valid,
    }
  if (valid) return { tone: 'good', words: 'yes, certificate valid', record: valid }
  const exempt = findApproval('allowed')
  if (exempt) return { tone: 'good', words: `yes, approval ${toWords(exempt.status)}`, record: exempt }
  const open = findApproval('undecided')
  if (open) return { tone: 'open', words: `no, approval ${toWords(open.status)}`, record: open }
  const refused = findApproval('refused')
  if (refused) return { tone: 'bad', words: `no, approval ${toWords(refused.status)}`, record: refused }
  const [future] = listCertificates('undecided')
  if (future) return { tone: 'open', words: `no, certificate ${validityWords(future)}`, record: future }
  const [certificate] = certificates
  return {
    tone: 'bad',
    words: certificate
      ? `no, certificate ${toWords(certificate.validity)}`
      : 'no, granted without a certificate',
    record: certificate ?? approvals[0],
  }
}

/**
 * Judges schemes that are all needed. The worst decides. If each is fine, but a listed one has no record, the tone is
 * `half`.
 * @param {readonly Scheme[]} schemes @returns {Judged}
 */
const judgeTogether = (schemes) => {
  const missing = schemes.filter(({ tone }) => tone === 'none').map(({ name }) => name)
  // A record that matches no scheme may belong to a listed one under another name.
  const isComplete = missing.length === 0 && schemes.some(({ isListed }) => isListed)
  const [worst] = schemes
    .filter(({ tone, isListed }) => tone !== 'none' && (isListed || !isComplete))
    .sort(
      (a, b) => tones.indexOf(a.tone) - tones.indexOf(b.tone) || (a.until ?? '').localeCompare(b.until ?? ''),
    )
  if (!worst) return { tone: 'none', words: nothingOnRecord }
  const { tone, words, until, record } = worst
  if (missing.length === 0 || tone === 'bad' || tone === 'open') return { tone, words, until, record }
  const end = until ? `, certificate valid until ${until}` : ''
  return {
    tone: 'half',
    words: `approved as requested${end}; ${missing.join(', ')}: ${nothingOnRecord}`,
    until,
    record,
  }
}

/**
 * Judges the records of one product in one country. All schemes that the country lists are needed, or one alternative
 * instead. See docs/decisions/0298-a-recognised-mark-is-enough.md.
 * @param {Rules} rules
 * @param {readonly string[]} required schemes that the country lists
 * @param {readonly Certificate[]} certificates
 * @param {readonly Approval[]} approvals
 * @returns {Judged & { schemes: Scheme[] }} `schemes`: those that the country lists, then others
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
      name: listed ?? entry?.scheme ?? withoutScheme,
      isListed: listed !== undefined,
      tone: judged?.tone ?? /** @type {Tone} */ ('none'),
      words: judged?.words ?? nothingOnRecord,
      until: judged?.until,
      record: judged?.record,
    }
  })
  const isOther = (/** @type {Scheme} */ { name, isListed }) => isListed && isAlternative(name)
  const [needed = [], others = []] = [schemes.filter((each) => !isOther(each)), schemes.filter(isOther)]
  const [best] = [judgeTogether(needed), ...others].sort(
    (a, b) => tones.indexOf(b.tone) - tones.indexOf(a.tone),
  )
  const { tone, words, until, record } = best ?? judgeTogether(needed)
  return { tone, words, until, record, schemes }
}
