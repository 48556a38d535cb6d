import { listExampleData } from '../local/example-records.ts'
import { type Html, html } from './escape.ts'

/** Example certificates on the start page. Their dates move with today, so the timeline is always current. */

const shown = [
  'crt-lumen-gateway-us',
  'crt-lumen-gateway-br',
  'crt-tracker-mini-sg',
  'crt-lumen-gateway-ae',
  'crt-tracker-mini-br',
  'crt-lumen-gateway-kw',
  'crt-lumen-gateway-lte-br',
  'crt-wifi-module-br',
]

/** Days before and after today. */
const [first, last] = [-500, 660]
const expiringDays = 90
const dayMs = 86_400_000

type Span = Readonly<{ from: number; until: number | null }>
type State = 'good' | 'warn' | 'bad' | 'soft'

const at = (day: number) => Math.round(((day - first) / (last - first)) * 1e4) / 100

const barOf = ({ from, until }: Span, tone: State): Html => {
  const start = Math.max(at(from), -2)
  const end = Math.min(at(until === null ? last * 2 : until + 1), 102)
  return html`<line class="${tone}" x1="${start}%" x2="${Math.max(end - 0.25, start + 0.5)}%" y1="50%" y2="50%"/>`
}

const days = (count: number) => {
  if (count >= 730) return `${Math.floor(count / 365)} years`
  return count === 1 ? '1 day' : `${count} days`
}

const stateOf = (spans: readonly Span[]): [State, string] => {
  const now = spans.find(({ from, until }) => from <= 0 && (until === null || until >= 0))
  const next = spans.find(({ from }) => from > 0)
  if (now?.until === null) return ['good', 'Valid, no end date']
  if (now && next) return ['good', `Renewed, ${days(next.until ?? 0)} left`]
  if (now?.until === 0) return ['warn', 'Ends today']
  if (now) return [now.until <= expiringDays ? 'warn' : 'good', `${days(now.until)} left`]
  if (next) return ['soft', `Starts in ${days(next.from)}`]
  const ended = Math.max(...spans.map(({ until }) => until ?? 0))
  return ['bad', `Expired ${days(-ended)} ago`]
}

const ticks = [
  [-365, '1 year ago', 'wide'],
  [0, 'Today', 'today'],
  [182, 'In 6 months', 'wide'],
  [365, 'In 1 year', 'year'],
] as const

const grid = () =>
  ticks.map(
    ([day, , kind]) =>
      html`<line class="${kind === 'today' ? 'now' : 'tick'}" x1="${at(day)}%" x2="${at(day)}%" y1="0" y2="100%"/>`,
  )

type Row = Readonly<{
  country_code: string
  validity_periods: readonly { from: string; until?: string }[]
}>

const country = new Intl.DisplayNames('en', { type: 'region' })

/** Returns the timeline as a table: product and country, line, state. `today`: YYYY-MM-DD. */
export const timeline = (today: string): Html => {
  const dayOf = (date: string) => Math.round((Date.parse(date) - Date.parse(today)) / dayMs)
  const records = new Map(listExampleData(today).map((line) => [line.id, line]))
  const rows = shown.map((id) => {
    const line = records.get(id) as unknown as Row & { product_id: string }
    const name = String(records.get(line.product_id)?.name)
    const spans = line.validity_periods.map(({ from, until }) => ({
      from: dayOf(from),
      until: until === undefined ? null : dayOf(until),
    }))
    const [tone, words] = stateOf(spans)
    return html`<tr><th scope="row">${name}<small>${country.of(line.country_code)}</small></th>
<td class="line"><svg aria-hidden="true">${grid()}${spans.map((span) => barOf(span, tone))}</svg></td>
<td class="${tone}">${words}</td></tr>`
  })
  const names = ticks.map(
    ([day, words, kind]) =>
      html`<text class="${kind}" x="${at(day)}%" y="15" text-anchor="middle">${words}</text>`,
  )
  return html`<table class="timeline"><thead><tr><th scope="col">Certificate</th><th scope="col" class="line"><span class="visually-hidden">Validity</span><svg aria-hidden="true" height="20">${names}</svg></th><th scope="col">State today</th></tr></thead><tbody>${rows}</tbody></table>`
}
