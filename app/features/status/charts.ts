import { date, duration, milliseconds, moment, number, percent, time } from '../../site/browser/units.js'
import { type Html, html } from '../../site/escape.ts'
import { bar, chart, curve, level, roundUp } from './chart.ts'
import type { StatusDocument } from './document.ts'

export type StatusSpan = keyof StatusDocument['series']
type Point = StatusDocument['series'][StatusSpan][number]

const names = { minutes: 'last hour', quarters: 'last 24 hours', days: 'last 90 days' } as const

const toDate = ({ at }: Point) => date.format(new Date(at))
const toTime = ({ at }: Point) => time.format(new Date(at))

const listTimes = (points: readonly Point[], format: (point: Point) => string) =>
  [0, 0.25, 0.5, 0.75, 1].map((share) => format(points[Math.round(share * (points.length - 1))] as Point))

const toDayTitle = (day: Point) => {
  if (day.availability === null) return `${toDate(day)}: not measured`
  const missing = day.unreported_minutes
  const gap = missing > 0 ? `, ${duration(missing * 60)} without a report` : ''
  const part = day.minutes < 1440 ? `, ${duration(day.minutes * 60)} measured` : ''
  return `${toDate(day)}: ${percent(day.availability)} available${part}${gap}`
}

/** Returns the chart of availability, one bar for each of 90 days. */
export const daysChart = ({ series: { days }, targets }: StatusDocument): Html => {
  const { promised, objective } = targets.availability
  const tones = days.map(({ availability: share }) => {
    if (share === null) return 'none'
    return share >= objective ? 'up' : share >= promised ? 'some' : 'off'
  })
  const count = (tone: string) => tones.filter((each) => each === tone).length
  return chart(
    {
      size: 'low',
      label: `Of ${days.length - count('none')} days measured, ${count('up')} were ${objective * 100} % available or more.`,
      titles: days.map(toDayTitle),
      times: listTimes(days, toDate),
      keys: {
        up: `${objective * 100} % and more`,
        some: `${promised * 100} % and more`,
        off: 'less',
        none: 'not measured',
      },
    },
    tones.map((tone, x) => bar(tone, x, 1, 0.1)),
  )
}

const describePoints = (points: readonly Point[], span: StatusSpan) => ({
  titles: points.map((point) => {
    const { latency, requests, failed } = point
    const times = `average ${milliseconds(latency.average_ms)}, 99th percentile ${milliseconds(latency.p99_ms)}`
    return `${span === 'days' ? toDate(point) : moment(point.at)}: ${number(requests)} requests, ${number(failed)} failed, ${times}`
  }),
  times: listTimes(points, span === 'days' ? toDate : toTime),
})

const listGaps = (points: readonly Point[]): Html[] =>
  points.flatMap(({ minutes, unreported_minutes: missing }, x) =>
    minutes > 0 && missing > minutes / 2 ? [bar('gap', x, 1, 0)] : [],
  )

/** Returns the chart of the time to answer. */
export const latencyChart = ({ series, targets }: StatusDocument, span: StatusSpan): Html => {
  const points = series[span]
  const limit = targets.latency.average_ms
  const averages = points.map(({ latency }) => latency.average_ms)
  const percentiles = points.map(({ latency }) => latency.p99_ms)
  const getMost = (values: readonly (number | null)[]) => Math.max(0, ...values.map((ms) => ms ?? 0))
  const most = Math.max(getMost(averages), getMost(percentiles))
  // The limit is shown only if it is near the values. Far above them, it would flatten the curves.
  const hasLimit = most > limit / 8
  const top = roundUp(Math.max(most * 1.1, hasLimit ? limit * 1.1 : 1))
  const toShares = (values: readonly (number | null)[]) => values.map((ms) => (ms === null ? null : ms / top))
  return chart(
    {
      ...describePoints(points, span),
      size: 'high',
      label: `Time to answer, ${names[span]}: the average was ${milliseconds(getMost(averages))} at most; promised are ${limit} ms.`,
      scale: [milliseconds(top), milliseconds(top / 2), '0'],
      keys: { average: 'average', p99: '99th percentile', none: 'no report' },
    },
    [
      ...listGaps(points),
      ...(hasLimit ? [level('limit', points.length, limit / top)] : []),
      curve('p99', toShares(percentiles)),
      curve('average', toShares(averages)),
    ],
  )
}

/** Returns the chart of requests. */
export const requestsChart = ({ series }: StatusDocument, span: StatusSpan): Html => {
  const points = series[span]
  const top = roundUp(Math.max(2, ...points.map(({ requests }) => requests)))
  const total = points.reduce((sum, { requests }) => sum + requests, 0)
  const bars = points.flatMap(({ requests, failed }, x) => [
    ...(requests > 0 ? [bar('bar', x, requests / top)] : []),
    ...(failed > 0 ? [bar('failed', x, failed / top)] : []),
  ])
  return chart(
    {
      ...describePoints(points, span),
      size: 'middle',
      label: `Requests, ${names[span]}: ${number(total)}.`,
      scale: [number(top), number(top / 2), '0'],
      keys: { average: 'requests', off: 'failed' },
    },
    [...listGaps(points), ...bars],
  )
}

const columns: Readonly<Record<string, (point: Point) => string>> = {
  From: ({ at }) => moment(at),
  Available: ({ availability }) => percent(availability),
  Average: ({ latency }) => milliseconds(latency.average_ms),
  '99th percentile': ({ latency }) => milliseconds(latency.p99_ms),
  Requests: ({ requests }) => number(requests),
  Failed: ({ failed }) => number(failed),
  'From a cache': ({ cache_hit_ratio }) => percent(cache_hit_ratio),
}

/** Returns the measured points of both charts as a table, newest first. */
export const pointsTable = ({ series }: StatusDocument, span: StatusSpan): Html => {
  const points = series[span].filter(({ minutes }) => minutes > 0).reverse()
  const toCells = (point: Point) => Object.values(columns).map((read) => html`<td>${read(point)}</td>`)
  return html`<table id="points" aria-label="Figures of the charts"><thead><tr>${Object.keys(columns).map((text) => html`<th scope="col">${text}</th>`)}</tr></thead><tbody>${points.map((point) => html`<tr>${toCells(point)}</tr>`)}</tbody></table>`
}
