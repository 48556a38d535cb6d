import { duration, find, make, milliseconds, number, percent } from './ui.js'

/**
 * @typedef {import('./status.js').Period} Period
 * @typedef {import('./status.js').Status} Status
 */

/** @param {boolean | null} holds */
const tone = (holds) => (holds === null ? '' : holds ? 'good' : 'bad')

/** @param {Period} period @param {number} objective */
const budgetText = ({ error_budgets }, objective) => {
  const budget = error_budgets.find((each) => each.objective === objective)
  if (!budget || budget.left === null) return { text: 'no data', class: '' }
  const left = budget.allowed_seconds - budget.used_seconds
  if (left < 0) return { text: `${duration(-left)} over`, class: 'bad' }
  return { text: `${duration(left)} left`, class: 'good' }
}

/** What was measured beside what is promised, as a table. @param {Status} status */
export const showFigures = ({ periods, targets }) => {
  const { promised, objective } = targets.availability
  const goals = { average: targets.latency.average_ms, age: targets.freshness.max_age_ms }
  /** @type {[name: string, note: string, read: (period: Period) => { text: string, class?: string }, goal: string][]} */
  const rows = [
    [
      'Availability',
      `our own goal is ${objective * 100} %`,
      ({ availability }) => ({
        text: percent(availability),
        class: tone(availability === null ? null : availability >= promised),
      }),
      `${promised * 100} %`,
    ],
    [`Error budget, ${promised * 100} %`, 'time that may fail', (period) => budgetText(period, promised), ''],
    [`Error budget, ${objective * 100} %`, 'of our own goal', (period) => budgetText(period, objective), ''],
    [
      'Average answer',
      'with data',
      ({ latency: { average_ms } }) => ({
        text: milliseconds(average_ms),
        class: tone(average_ms === null ? null : average_ms < goals.average),
      }),
      `< ${goals.average} ms`,
    ],
    [
      '99th percentile',
      'one in a hundred takes longer',
      ({ latency }) => ({ text: milliseconds(latency.p99_ms) }),
      '',
    ],
    [
      'Oldest answer',
      'after a commit',
      ({ max_age_ms }) => ({
        text: milliseconds(max_age_ms),
        class: tone(max_age_ms === null ? null : max_age_ms <= goals.age),
      }),
      `≤ ${goals.age} ms, or it says so`,
    ],
    ['Requests', 'of all customers together', ({ requests }) => ({ text: number(requests) }), ''],
    ['Answered from a cache', '', ({ cache_hit_ratio }) => ({ text: percent(cache_hit_ratio) }), ''],
    [
      'Without a report',
      'counted as not available',
      ({ unreported_minutes: n }) => ({ text: duration(n * 60) }),
      '',
    ],
  ]
  const body = find('#figures tbody', HTMLElement)
  body.replaceChildren(
    ...rows.map(([name, note, read, goal]) =>
      make(
        'tr',
        {},
        make('th', { scope: 'row' }, name, note === '' ? undefined : make('small', {}, note)),
        .../** @type {const} */ (['now', '24h', '30d', '90d']).map((key) => {
          const { text, class: named } = read(periods[key])
          return make('td', { class: text === 'no data' ? 'soft' : named }, text)
        }),
        make('td', {}, goal),
      ),
    ),
  )
}
