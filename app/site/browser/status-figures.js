import { duration, find, make, milliseconds, number, percent } from './ui.js'

/**
 * @typedef {import('./status.js').Period} Period
 * @typedef {import('./status.js').Status} Status
 * @typedef {import('./status.js').Verdict} Verdict
 * @typedef {[name: string, note: string, read: (period: Period) => string, goal?: string, judged?: keyof Period['verdicts']]} Row
 */

const columns = /** @type {const} */ ([
  ['now', 'Last 5 minutes'],
  ['24h', '24 hours'],
  ['30d', '30 days'],
  ['90d', '90 days'],
])

/** The service has judged; the page only colours. @type {Record<Verdict, string>} */
const tones = { kept: 'good', broken: 'bad', unknown: '' }

/** @param {Period} period @param {number} objective */
const budgetText = ({ error_budgets }, objective) => {
  const budget = error_budgets.find((each) => each.objective === objective)
  if (!budget || budget.left === null) return 'no data'
  const left = budget.allowed_seconds - budget.used_seconds
  return left < 0 ? `${duration(-left)} over` : duration(left)
}

/** How much of a period was measured. @param {Period} period */
const coverage = ({ minutes, whole_minutes: whole }) =>
  minutes === whole ? 'measured' : minutes === 0 ? 'not measured' : `${duration(minutes * 60)} measured`

/** @param {Status['targets']} targets @returns {Row[]} */
const rowsOf = ({ availability: { promised, objective }, latency, freshness }) => [
  [
    'Availability',
    `our own goal is ${objective * 100} %`,
    ({ availability }) => percent(availability),
    `${promised * 100} %`,
    'availability',
  ],
  ['May still fail', `of ${promised * 100} %`, (period) => budgetText(period, promised)],
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
  ['Without a report', 'counted as not available', ({ unreported_minutes: n }) => duration(n * 60)],
]

/** What was measured beside what is promised, as a table. @param {Status} status */
export const showFigures = ({ periods, targets }) => {
  const heads = columns.map(([key, name]) =>
    make('th', { scope: 'col' }, name, make('small', {}, coverage(periods[key]))),
  )
  const head = make(
    'tr',
    {},
    make('th', { scope: 'col' }, 'Figure'),
    ...heads,
    make('th', { scope: 'col' }, 'Promised'),
  )
  find('#figures thead', HTMLElement).replaceChildren(head)
  const rows = rowsOf(targets).map(([name, note, read, goal = '', judged]) => {
    const cells = columns.map(([key]) => {
      const text = read(periods[key])
      const tone = judged === undefined ? '' : tones[periods[key].verdicts[judged]]
      return make('td', { class: text === 'no data' ? 'soft' : tone }, text)
    })
    const title = make('th', { scope: 'row' }, name, note === '' ? undefined : make('small', {}, note))
    return make('tr', {}, title, ...cells, make('td', {}, goal))
  })
  find('#figures tbody', HTMLElement).replaceChildren(...rows)
}
