import { duration, milliseconds, number, percent } from '../../site/browser/units.js'
import { type Html, html } from '../../site/escape.ts'
import type { StatusDocument } from './document.ts'

type Periods = StatusDocument['periods']
type Period = Periods[keyof Periods]
type Row = readonly [
  name: string,
  note: string,
  read: (period: Period) => string,
  goal?: string,
  judged?: keyof Period['verdicts'],
]

const columns = [
  ['now', 'Last 5 minutes'],
  ['24h', '24 hours'],
  ['30d', '30 days'],
  ['90d', '90 days'],
] as const

const tones = { kept: 'good', broken: 'bad', unknown: '' } as const

const budgetText = ({ error_budgets }: Period, objective: number) => {
  const budget = error_budgets.find((each) => each.objective === objective)
  if (!budget || budget.left === null) return 'no data'
  const left = budget.allowed_seconds - budget.used_seconds
  return left < 0 ? `used up, and ${duration(-left)} more` : duration(left)
}

const coverage = ({ minutes, whole_minutes: whole }: Period) =>
  minutes === whole ? 'measured' : minutes === 0 ? 'not measured' : `${duration(minutes * 60)} measured`

const listRows = ({
  availability: { promised, objective },
  latency,
  freshness,
}: StatusDocument['targets']): readonly Row[] => [
  [
    'Availability',
    `our own goal is ${objective * 100} %`,
    ({ availability }) => percent(availability),
    `${promised * 100} %`,
    'availability',
  ],
  ['Error budget left', `of ${promised * 100} % availability`, (period) => budgetText(period, promised)],
  [
    'Average answer',
    'with data',
    (period) => milliseconds(period.latency.average_ms),
    `< ${latency.average_ms} ms`,
    'average',
  ],
  ['99th percentile', '1 of 100 answers takes longer', (period) => milliseconds(period.latency.p99_ms)],
  [
    'Oldest answer',
    'after a commit',
    ({ max_age_ms }) => milliseconds(max_age_ms),
    `≤ ${freshness.max_age_ms} ms, or it says so`,
    'freshness',
  ],
  ['Requests', 'of all customers together', ({ requests }) => number(requests)],
  ['Answered from a cache', '', ({ cache_hit_ratio }) => percent(cache_hit_ratio)],
  [
    'In announced maintenance',
    'counted like all other minutes',
    ({ maintenance_minutes: n }) => duration(n * 60),
  ],
  ['Without a report', 'counted as not available', ({ unreported_minutes: n }) => duration(n * 60)],
]

/** Returns the measured figures of each period, next to the promises. */
export const figuresTable = ({ periods, targets }: StatusDocument): Html => {
  const heads = columns.map(
    ([key, name]) => html`<th scope="col">${name}<small>${coverage(periods[key])}</small></th>`,
  )
  const rows = listRows(targets).map(([name, note, read, goal = '', judged]) => {
    const cells = columns.map(([key]) => {
      const text = read(periods[key])
      const tone = judged === undefined ? '' : tones[periods[key].verdicts[judged]]
      return html`<td class="${text === 'no data' ? 'soft' : tone}">${text}</td>`
    })
    const small = note === '' ? undefined : html`<small>${note}</small>`
    return html`<tr><th scope="row">${name}${small}</th>${cells}<td>${goal}</td></tr>`
  })
  return html`<table id="figures" aria-label="Figures by period, and the promise"><thead><tr><th scope="col">Figure</th>${heads}<th scope="col">Promised</th></tr></thead><tbody>${rows}</tbody></table>`
}
