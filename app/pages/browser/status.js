import { barChart, dayChart, lineChart } from './chart.js'
import { duration, find, make, milliseconds, number, percent } from './ui.js'

/**
 * @typedef {{
 *   at: string, minutes: number, unreported_minutes: number, availability: number | null, requests: number,
 *   failed: number, latency: { average_ms: number | null, p50_ms: number | null, p99_ms: number | null },
 *   cache_hit_ratio: number | null, max_age_ms: number | null,
 * }} Point
 * @typedef {Point & {
 *   until: string,
 *   error_budgets: { objective: number, allowed_seconds: number, used_seconds: number, left: number | null }[],
 * }} Period
 * @typedef {'minutes' | 'quarters' | 'days'} Span
 * @typedef {{
 *   status: 'operational' | 'degraded' | 'down' | 'unknown', generated_at: string, measured_since: string | null,
 *   targets: { availability: { promised: number, objective: number }, latency: { average_ms: number },
 *     freshness: { max_age_ms: number } },
 *   periods: Record<'now' | '24h' | '30d' | '90d', Period>, series: Record<Span, Point[]>,
 *   incidents: { from: string, until: string | null, minutes: number, kind: 'failing' | 'unreported',
 *     availability: number }[],
 * }} Status
 */

const refreshMs = 10_000
const states = {
  operational: 'Everything works',
  degraded: 'Some requests fail at the moment',
  down: 'The service does not answer as it should',
  unknown: 'Not measured for long enough to say',
}

const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
/** @param {string} instant */
const moment = (instant) => `${date.format(new Date(instant))}, ${time.format(new Date(instant))} UTC`

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

/** @param {Status} status */
const showFigures = ({ periods, targets }) => {
  const { promised, objective } = targets.availability
  const goals = { average: targets.latency.average_ms, age: targets.freshness.max_age_ms }
  /** @type {[name: string, note: string, read: (period: Period) => { text: string, class?: string }, goal: string][]} */
  const rows = [
    [
      'Availability',
      `we aim at ${objective * 100} %`,
      ({ availability }) => ({
        text: percent(availability),
        class: tone(availability === null ? null : availability >= promised),
      }),
      `${promised * 100} %`,
    ],
    [`Error budget, ${promised * 100} %`, 'time that may fail', (period) => budgetText(period, promised), ''],
    [`Error budget, ${objective * 100} %`, 'of our own aim', (period) => budgetText(period, objective), ''],
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

/** @param {Point} point @param {number} promised @param {number} objective */
const toneOf = ({ availability, minutes }, promised, objective) => {
  if (availability === null || minutes === 0) return 'none'
  return availability >= objective ? 'up' : availability >= promised ? 'some' : 'off'
}

/**
 * @param {HTMLElement} box
 * @param {Node} chart
 * @param {HTMLElement} readout
 */
const fill = (box, chart, readout) => box.replaceChildren(chart, readout)

/** @param {string} className @param {string} text */
const key = (className, text) => make('span', { class: `key ${className}` }, text)

/** @param {Status} status */
const showDays = ({ series: { days }, targets }) => {
  const { promised, objective } = targets.availability
  const readout = make('p', { class: 'readout' })
  const keys = () => [
    key('up', `${objective * 100} % and more`),
    key('some', `${promised * 100} % and more`),
    key('off', 'less'),
    key('none', 'not measured'),
  ]
  const onPoint = (/** @type {number | undefined} */ index) => {
    const point = index === undefined ? undefined : days[index]
    if (!point) return readout.replaceChildren(...keys())
    const gap = point.unreported_minutes
    readout.replaceChildren(
      make('strong', {}, date.format(new Date(point.at))),
      point.minutes === 0 ? 'not measured' : `${percent(point.availability)} available`,
      gap > 0 ? `${duration(gap * 60)} without a report` : '',
    )
  }
  onPoint(undefined)
  const measured = days.filter(({ minutes }) => minutes > 0)
  const good = measured.filter(({ availability }) => (availability ?? 0) >= objective)
  const chart = dayChart({
    count: days.length,
    height: 64,
    label: `Of ${measured.length} days measured, ${good.length} were ${objective * 100} % available or more.`,
    at: (index) => date.format(new Date(days[index]?.at ?? '')),
    onPoint,
    tones: days.map((day) => toneOf(day, promised, objective)),
  })
  fill(find('#days', HTMLElement), chart, readout)
}

/** @type {Span} */
let span = 'quarters'
const names = { minutes: 'last hour', quarters: 'last 24 hours', days: 'last 90 days' }

/** @param {Status} status */
const showCharts = ({ series, targets }) => {
  const points = series[span]
  const at = (/** @type {number} */ index) => {
    const instant = new Date(points[index]?.at ?? '')
    return span === 'days' ? date.format(instant) : time.format(instant)
  }
  const gaps = points.map(({ minutes, unreported_minutes: missing }) => minutes > 0 && missing > minutes / 2)
  const limit = targets.latency.average_ms
  const times = make('p', { class: 'readout' })
  const counts = make('p', { class: 'readout' })
  const onPoint = (/** @type {number | undefined} */ index) => {
    const point = index === undefined ? undefined : points[index]
    if (!point) {
      times.replaceChildren(
        key('average', 'average'),
        key('p99', '99th percentile'),
        key('none', 'no report'),
      )
      counts.replaceChildren(key('average', 'requests'), key('off', 'failed'))
      return
    }
    const when = span === 'days' ? date.format(new Date(point.at)) : moment(point.at)
    times.replaceChildren(
      make('strong', {}, when),
      `average ${milliseconds(point.latency.average_ms)}`,
      `99th percentile ${milliseconds(point.latency.p99_ms)}`,
    )
    counts.replaceChildren(
      make('strong', {}, when),
      `${number(point.requests)} requests`,
      `${number(point.failed)} failed`,
      `${percent(point.cache_hit_ratio)} from a cache`,
    )
  }
  onPoint(undefined)
  const frame = { count: points.length, at, onPoint, gaps }
  const averages = points.map(({ latency }) => latency.average_ms)
  const worst = Math.max(0, ...averages.filter((value) => value !== null))
  const latencyChart = lineChart({
    ...frame,
    height: 190,
    label: `Time to answer, ${names[span]}: the average was ${milliseconds(worst)} at most; promised are ${limit} ms.`,
    lines: [
      { name: 'average', values: averages },
      { name: 'p99', values: points.map(({ latency }) => latency.p99_ms) },
    ],
    limit,
    format: (value) => (value === 0 ? '0' : milliseconds(value)),
  })
  fill(find('#latency', HTMLElement), latencyChart, times)
  const all = points.reduce((sum, { requests }) => sum + requests, 0)
  const bars = barChart({
    ...frame,
    height: 90,
    label: `Requests, ${names[span]}: ${number(all)}.`,
    values: points.map(({ requests }) => requests),
    failed: points.map(({ failed }) => failed),
    format: (value) => (Number.isInteger(value) ? number(value) : ''),
  })
  fill(find('#requests', HTMLElement), bars, counts)
  showTable(points)
}

/** @param {Point[]} points */
const showTable = (points) => {
  const heads = ['From', 'Available', 'Average', '99th percentile', 'Requests', 'Failed', 'From a cache']
  const rows = points
    .filter(({ minutes }) => minutes > 0)
    .reverse()
    .map((point) =>
      make(
        'tr',
        {},
        ...[
          moment(point.at),
          percent(point.availability),
          milliseconds(point.latency.average_ms),
          milliseconds(point.latency.p99_ms),
          number(point.requests),
          number(point.failed),
          percent(point.cache_hit_ratio),
        ].map((text) => make('td', {}, text)),
      ),
    )
  const head = make('tr', {}, ...heads.map((text) => make('th', { scope: 'col' }, text)))
  find('#points', HTMLElement).replaceChildren(make('thead', {}, head), make('tbody', {}, ...rows))
}

const kinds = {
  failing: 'Requests or probes failed.',
  unreported: 'No instance reported: whether anybody was answered is not known, and counts as no.',
}

/** @param {Status} status */
const showIncidents = ({ incidents, measured_since: since }) => {
  const box = find('#incidents', HTMLElement)
  if (incidents.length === 0) {
    const isYoung = since !== null && Date.parse(since) > Date.now() - 89 * 86_400_000
    const span =
      since === null ? ' yet' : isYoung ? ` since measuring began on ${moment(since)}` : ' in 90 days'
    box.replaceChildren(make('p', { class: 'soft' }, `None${span}.`))
    return
  }
  box.replaceChildren(
    ...incidents.map(({ from, until, minutes, kind, availability }) =>
      make(
        'div',
        { class: 'incident' },
        make(
          'p',
          {},
          make('strong', {}, moment(from)),
          until === null ? ', going on for ' : ' for ',
          duration(minutes * 60),
          `, ${percent(availability)} available`,
        ),
        make('p', { class: 'soft' }, kinds[kind]),
      ),
    ),
  )
}

/** @type {Status | undefined} */
let shown

/** @param {Status} status */
const show = (status) => {
  if (shown?.status !== status.status) {
    find('#state', HTMLElement).textContent = states[status.status]
    find('#state-mark', HTMLElement).className = `mark ${status.status}`
    find('#live', HTMLElement).textContent = shown ? states[status.status] : ''
  }
  find('#fresh', HTMLElement).replaceChildren(
    `As of ${moment(status.generated_at)}. Measured since ${status.measured_since ? moment(status.measured_since) : 'now'}. `,
    make('a', { href: '/status.json' }, 'As JSON'),
  )
  const isSame = shown?.periods.now.until === status.periods.now.until
  shown = status
  if (isSame) return
  showFigures(status)
  showDays(status)
  showCharts(status)
  showIncidents(status)
}

const refresh = async () => {
  try {
    const answer = await fetch('/status.json')
    show(await answer.json())
  } catch {
    find('#fresh', HTMLElement).textContent =
      'The figures could not be loaded just now; trying again in ten seconds.'
    if (!shown) find('#state', HTMLElement).textContent = 'Status not known'
  }
  setTimeout(refresh, refreshMs)
}

for (const radio of document.querySelectorAll('input[name=span]')) {
  radio.addEventListener('change', () => {
    span = /** @type {Span} */ (/** @type {HTMLInputElement} */ (radio).value)
    if (shown) showCharts(shown)
  })
}
await refresh()
