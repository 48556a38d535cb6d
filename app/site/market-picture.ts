import { openStatuses } from '../../schemas/approval.ts'
import { dayMs } from '../config/units.ts'
import { defaultExpiringWithin } from '../identity/principal.ts'
import { derivePeriods } from '../import/periods.ts'
import { createRecordChecker } from '../import/record.ts'
import { type ExampleRecord, listExampleData } from '../local/example-records.ts'
import { type CertificateDates, certificates, computeCertificate } from '../records/resources/certificates.ts'
import { date } from './browser/units.js'
import { type Html, html } from './escape.ts'

const products = [
  'lumen-gateway',
  'lumen-gateway-lte',
  'tracker-mini',
  'smartlock',
  'wifi-module',
  'chargepad',
]
const countries = ['US', 'DE', 'GB', 'JP', 'KR', 'CN', 'BR', 'MX', 'SG', 'AE', 'KW']
const shownEnds = 4

type Market = Readonly<{
  product: string
  country: string
  tone: keyof typeof states
  until: string | undefined
}>

const states = {
  good: ['✓', 'may be sold'],
  warn: ['!', 'expires soon'],
  open: ['…', 'in progress'],
  bad: ['✕', 'not allowed'],
} as const

const checkCertificate = createRecordChecker(certificates)

/** Adds the dates as the import does. */
const toDated = (certificate: ExampleRecord) => {
  const { record } = checkCertificate(certificate)
  derivePeriods(record)
  return record as CertificateDates
}

const undecidedApprovals = ['planned', ...openStatuses]

/** `undefined` if the product has neither a certificate nor an approval in the country. */
const toState = (
  today: string,
  certificate: ExampleRecord | undefined,
  approval: ExampleRecord | undefined,
): Omit<Market, 'product' | 'country'> | undefined => {
  const dated = certificate && toDated(certificate)
  const computed = dated && computeCertificate(dated, today, defaultExpiringWithin)
  if (computed?.validity === 'valid')
    return { tone: computed.expiring ? 'warn' : 'good', until: dated?.valid_until ?? undefined }
  if (approval?.status === 'not_required') return { tone: 'good', until: undefined }
  const isUndecided = approval && undecidedApprovals.includes(String(approval.status))
  if (isUndecided || computed?.validity === 'not_yet_valid') return { tone: 'open', until: undefined }
  return certificate || approval ? { tone: 'bad', until: undefined } : undefined
}

const listMarkets = (records: readonly ExampleRecord[], today: string): Market[] =>
  products.flatMap((name) => {
    const inCountry = (resource: string, country: string) =>
      records.find(
        (each) =>
          each.resource === resource && each.product_id === `prd-${name}` && each.country_code === country,
      )
    const product = String(records.find(({ id }) => id === `prd-${name}`)?.name)
    return countries.flatMap((country) => {
      const state = toState(today, inCountry('certificates', country), inCountry('approvals', country))
      return state ? [{ product, country, ...state }] : []
    })
  })

const regions = new Intl.DisplayNames('en', { type: 'region' })

const toCell = (market: Market | undefined): Html => {
  if (!market) return html`<td><span class="cell none"></span></td>`
  const [sign, words] = states[market.tone]
  return html`<td><span class="cell ${market.tone}" role="img" aria-label="${words}" title="${words}">${sign}</span></td>`
}

const toMatrix = (markets: readonly Market[]): Html => {
  const heads = countries.map(
    (code) => html`<th scope="col"><abbr title="${regions.of(code)}">${code}</abbr></th>`,
  )
  const rows = [...Map.groupBy(markets, ({ product }) => product)].map(
    ([product, own]) =>
      html`<tr><th scope="row">${product}</th>${countries.map((code) => toCell(own.find(({ country }) => country === code)))}</tr>`,
  )
  return html`<table class="markets"><thead><tr><td></td>${heads}</tr></thead><tbody>${rows}</tbody></table>
<ul class="legend">${Object.entries(states).map(([tone, [sign, words]]) => html`<li><span class="cell ${tone}" aria-hidden="true">${sign}</span>${words}</li>`)}<li><span class="cell none"></span>not requested</li></ul>`
}

const toEnd = ({ product, country, until = '' }: Market, today: string): Html => {
  const days = (Date.parse(until) - Date.parse(today)) / dayMs
  const words = days === 0 ? 'today' : `in ${days} ${days === 1 ? 'day' : 'days'}`
  return html`<li><span><strong>${product}</strong> <span class="soft">${regions.of(country)}</span></span>
<svg aria-hidden="true"><line x1="0" x2="100%" y1="50%" y2="50%"/><line class="warn" x1="0" x2="${Math.max(3, (days / defaultExpiringWithin) * 100)}%" y1="50%" y2="50%"/></svg>
<span class="soft">${date.format(new Date(until))}</span><strong class="warn">${words}</strong></li>`
}

/** Draws, from the example data, where products may be sold and which certificates end next. `today`: YYYY-MM-DD. */
export const marketPicture = (today: string): Html => {
  const markets = listMarkets(listExampleData(today), today)
  const sold = markets.filter(({ tone }) => tone === 'good' || tone === 'warn')
  const ends = sold
    .filter(({ tone }) => tone === 'warn')
    .sort((a, b) => String(a.until).localeCompare(String(b.until)))
    .slice(0, shownEnds)
  return html`<div class="part"><p class="head"><strong>May be sold today</strong> <span>${sold.length} of ${markets.length} requested combinations</span></p>${toMatrix(markets)}</div>
<div class="part"><p class="head"><strong>Expires next</strong></p><ul class="ends">${ends.map((market) => toEnd(market, today))}</ul></div>`
}
