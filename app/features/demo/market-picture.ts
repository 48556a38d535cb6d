import { readFileSync } from 'node:fs'
import { dayMs } from '../../config/units.ts'
import { defaultExpiringWithin } from '../../identity/principal.ts'
import { derivePeriods } from '../../import/periods.ts'
import { createRecordChecker } from '../../import/record.ts'
import { type ExampleRecord, listExampleData } from '../../local/example-records.ts'
import { referenceFile } from '../../local/reference/load.ts'
import { approvals } from '../../records/resources/approvals.ts'
import {
  type CertificateDates,
  certificates,
  computeCertificate,
} from '../../records/resources/certificates.ts'
import { date } from '../../site/browser/units.js'
import { type Html, html } from '../../site/escape.ts'
import type { HomeExample } from '../../site/home-page.ts'
import { once } from '../../site/once.ts'
import { type Approval, type Certificate, judgeMarket } from './browser/market.js'

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

const states = {
  good: ['✓', 'may be sold'],
  warn: ['!', 'expires soon'],
  half: ['½', 'approved as requested, but a listed scheme has no record'],
  open: ['…', 'in progress'],
  bad: ['✕', 'not allowed'],
} as const

type Market = Readonly<{
  product: string
  country: string
  tone: keyof typeof states
  words: string
  /** The last day of the certificate that ends soon, YYYY-MM-DD. */
  until: string | undefined
}>

/** Outcomes by field and value, from the definitions of the resources. */
export const marketRules = { ...certificates.market, ...approvals.market }

const checkCertificate = createRecordChecker(certificates)

/** Adds the dates as the import does, and the computed fields as the service does. */
const toCertificate = (example: ExampleRecord, today: string): Certificate => {
  const { record } = checkCertificate(example)
  derivePeriods(record)
  const dated = record as CertificateDates & Pick<Certificate, 'scheme'>
  const { scheme, approval_status, valid_from, valid_until } = dated
  const given = { scheme, approval_status, valid_from, valid_until }
  return { ...given, ...computeCertificate(dated, today, defaultExpiringWithin) }
}

/** The schemes that each country lists, by code. */
const readListedSchemes = once(() => {
  const lines = readFileSync(referenceFile, 'utf8').trimEnd().split('\n')
  const parsed: { code: string; requirements: { schemes: string[] } | null }[] = lines.map((line) =>
    JSON.parse(line),
  )
  return new Map(parsed.map(({ code, requirements }) => [code, requirements?.schemes]))
})

const listMarkets = (records: readonly ExampleRecord[], today: string): Market[] =>
  products.flatMap((name) => {
    const ofProduct = records.filter(({ product_id: id }) => id === `prd-${name}`)
    const product = String(records.find(({ id }) => id === `prd-${name}`)?.name)
    return countries.flatMap((country) => {
      const select = (resource: string) =>
        ofProduct.filter((each) => each.resource === resource && each.country_code === country)
      const { tone, words, until } = judgeMarket(
        marketRules,
        readListedSchemes().get(country) ?? [],
        select('certificates').map((each) => toCertificate(each, today)),
        select('approvals') as unknown as Approval[],
      )
      return tone === 'none' ? [] : [{ product, country, tone, words, until: until ?? undefined }]
    })
  })

const regions = new Intl.DisplayNames('en', { type: 'region' })

const toCell = (market: Market | undefined): Html => {
  if (!market) return html`<td><span class="cell none"></span></td>`
  const [sign] = states[market.tone]
  const { words } = market
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
  return html`<table class="markets" aria-label="Where each product may be sold today"><thead><tr><td></td>${heads}</tr></thead><tbody>${rows}</tbody></table>
<ul class="legend" aria-label="Signs">${Object.entries(states).map(([tone, [sign, words]]) => html`<li><span class="cell ${tone}" aria-hidden="true">${sign}</span>${words}</li>`)}<li><span class="cell none"></span>not requested</li></ul>`
}

const toEnd = ({ product, country, until = '' }: Market, today: string): Html => {
  const days = (Date.parse(until) - Date.parse(today)) / dayMs
  const words = days === 0 ? 'today' : `in ${days} ${days === 1 ? 'day' : 'days'}`
  return html`<li><span><strong>${product}</strong> <span class="soft">${regions.of(country)}</span></span>
<svg aria-hidden="true"><line x1="0" x2="100%" y1="50%" y2="50%"/><line class="warn" x1="0" x2="${Math.max(3, (days / defaultExpiringWithin) * 100)}%" y1="50%" y2="50%"/></svg>
<span class="soft">${date.format(new Date(until))}</span><strong class="warn">${words}</strong></li>`
}

/** Draws, from the example data, where products may be sold and which certificates end next. `today`: YYYY-MM-DD. */
const marketPicture = (today: string): Html => {
  const markets = listMarkets(listExampleData(today), today)
  const sold = markets.filter(({ tone }) => tone === 'good' || tone === 'warn')
  const ends = markets
    .filter(({ until }) => until !== undefined)
    .sort((a, b) => String(a.until).localeCompare(String(b.until)))
    .slice(0, shownEnds)
  return html`<div class="part"><p class="head"><strong>May be sold today</strong> <span>${sold.length} of ${markets.length} requested combinations</span></p>${toMatrix(markets)}</div>
<div class="part"><p class="head"><strong>Expires next</strong></p><ul class="ends" aria-label="Certificates that expire next">${ends.map((market) => toEnd(market, today))}</ul></div>`
}

/** For the start page. */
export const homeExample: HomeExample = {
  path: '/demo',
  label: 'Try the demo',
  note: 'The demo needs no account.',
  views: {
    check: '#markets',
    ends: '#expiring',
    copy: '#changes',
    history: '#history',
  },
  draw: (today) => html`${marketPicture(today)}
<figcaption>Records of a fictional manufacturer. <a href="/demo#markets">See the reasons in the demo</a></figcaption>`,
}
