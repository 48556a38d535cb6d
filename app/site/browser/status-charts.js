import { barChart, dayChart, lineChart } from './chart.js'
import { date, duration, find, make, milliseconds, moment, number, percent, time } from './ui.js'

/**
 * @typedef {import('./status.js').Point} Point
 * @typedef {import('./status.js').Span} Span
 * @typedef {import('./status.js').Status} Status
 */

/** Narrower, a chart is made smaller as a whole. */
const leastWidth = 240

/** @param {Point} point @param {number} promised @param {number} objective */
const toneOf = ({ availability, minutes }, promised, objective) => {
  if (availability === null || minutes === 0) return 'none'
  return availability >= objective ? 'up' : availability >= promised ? 'some' : 'off'
}

/** Pixels from side to side. @param {HTMLElement} box */
const roomIn = (box) => {
  const { paddingLeft, paddingRight } = getComputedStyle(box)
  return Math.max(
    leastWidth,
    Math.round(box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)),
  )
}

/**
 * @param {HTMLElement} box
 * @param {Node} chart
 * @param {HTMLElement} readout
 */
const fill = (box, chart, readout) => box.replaceChildren(chart, readout)

/** @param {string} className @param {string} text */
const key = (className, text) => make('span', { class: `key ${className}` }, text)

/** Ninety days, a bar each. @param {Status} status */
export const showDays = ({ series: { days }, targets }) => {
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
      point.minutes > 0 && point.minutes < 1440 ? `${duration(point.minutes * 60)} measured` : '',
      gap > 0 ? `${duration(gap * 60)} without a report` : '',
    )
  }
  onPoint(undefined)
  const measured = days.filter(({ minutes }) => minutes > 0)
  const good = measured.filter(({ availability }) => (availability ?? 0) >= objective)
  const box = find('#days', HTMLElement)
  const chart = dayChart({
    count: days.length,
    width: roomIn(box),
    height: 76,
    label: `Of ${measured.length} days measured, ${good.length} were ${objective * 100} % available or more.`,
    at: (index) => date.format(new Date(days[index]?.at ?? '')),
    onPoint,
    tones: days.map((day) => toneOf(day, promised, objective)),
  })
  fill(box, chart, readout)
}

const names = { minutes: 'last hour', quarters: 'last 24 hours', days: 'last 90 days' }

/** Time to answer and requests, as charts and as a table. @param {Status} status @param {Span} span */
export const showCharts = ({ series, targets }, span) => {
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
  const box = find('#latency', HTMLElement)
  const frame = { count: points.length, width: roomIn(box), at, onPoint, gaps }
  const averages = points.map(({ latency }) => latency.average_ms)
  const worst = Math.max(0, ...averages.filter((value) => value !== null))
  const latencyChart = lineChart({
    ...frame,
    height: 220,
    label: `Time to answer, ${names[span]}: the average was ${milliseconds(worst)} at most; promised are ${limit} ms.`,
    lines: [
      { name: 'average', values: averages },
      { name: 'p99', values: points.map(({ latency }) => latency.p99_ms) },
    ],
    limit,
    format: (value) => (value === 0 ? '0' : milliseconds(value)),
  })
  fill(box, latencyChart, times)
  const all = points.reduce((sum, { requests }) => sum + requests, 0)
  const bars = barChart({
    ...frame,
    height: 108,
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
