import type { StatusDocument } from '../observe/status/document.ts'
import { date, duration, milliseconds, moment, number, percent, time } from './browser/units.js'
import { bar, chart, curve, level, roundUp } from './charts.ts'
import { type Html, html } from './escape.ts'

/** The time that a chart shows. */
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
  const toTone = ({ availability: share }: Point) => {
    if (share === null) return 'none'
    return share >= objective ? 'up' : share >= promised ? 'some' : 'off'
  }
  const tones = days.map(toTone)
  const [good, unknown] = ['up', 'none'].map((tone) => tones.filter((each) => each === tone).length)
  return chart(
    {
      size: 'low',
      label: `Of ${days.length - (unknown ?? 0)} days measured, ${good} were ${objective * 100} % available or more.`,
      titles: days.map(toDayTitle),
      times: listTimes(days, toDate),
      keys: [
        ['up', `${objective * 100} % and more`],
        ['some', `${promised * 100} % and more`],
        ['off', 'less'],
        ['none', 'not measured'],
      ],
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
  gaps: points.flatMap(({ minutes, unreported_minutes: missing }, x) =>
    minutes > 0 && missing > minutes / 2 ? [bar('gap', x, 1, 0)] : [],
  ),
})

/** Returns the chart of the time to answer. */
export const latencyChart = ({ series, targets }: StatusDocument, span: StatusSpan): Html => {
  const points = series[span]
  const limit = targets.latency.average_ms
  const { gaps, ...words } = describePoints(points, span)
  const lines = [
    ['p99', points.map(({ latency }) => latency.p99_ms)],
    ['average', points.map(({ latency }) => latency.average_ms)],
  ] as const
  const [most = 0, worst = 0] = lines.map(([, values]) => Math.max(0, ...values.map((ms) => ms ?? 0)))
  // The promised limit is shown only near the values: far above, it would flatten the curves.
  const isLimitNear = Math.max(most, worst) > limit / 8
  const top = roundUp(Math.max(most * 1.1, worst * 1.1, isLimitNear ? limit * 1.1 : 1))
  return chart(
    {
      ...words,
      size: 'high',
      label: `Time to answer, ${names[span]}: the average was ${milliseconds(worst)} at most; promised are ${limit} ms.`,
      scale: [milliseconds(top), milliseconds(top / 2), '0'],
      keys: [
        ['average', 'average'],
        ['p99', '99th percentile'],
        ['none', 'no report'],
      ],
    },
    [
      ...gaps,
      ...(isLimitNear ? [level('limit', points.length, limit / top)] : []),
      ...lines.map(([name, values]) =>
        curve(
          name,
          values.map((ms) => (ms === null ? null : ms / top)),
        ),
      ),
    ],
  )
}

/** Returns the chart of requests. */
export const requestsChart = ({ series }: StatusDocument, span: StatusSpan): Html => {
  const points = series[span]
  const { gaps, ...words } = describePoints(points, span)
  const top = roundUp(Math.max(2, ...points.map(({ requests }) => requests)))
  const bars = points.flatMap(({ requests, failed }, x) => [
    ...(requests > 0 ? [bar('bar', x, requests / top)] : []),
    ...(failed > 0 ? [bar('failed', x, failed / top)] : []),
  ])
  return chart(
    {
      ...words,
      size: 'middle',
      label: `Requests, ${names[span]}: ${number(points.reduce((sum, { requests }) => sum + requests, 0))}.`,
      scale: [number(top), number(top / 2), '0'],
      keys: [
        ['average', 'requests'],
        ['off', 'failed'],
      ],
    },
    [...gaps, ...bars],
  )
}

/** Returns the measured points of both charts as a table, newest first. */
export const pointsTable = ({ series }: StatusDocument, span: StatusSpan): Html => {
  const heads = ['From', 'Available', 'Average', '99th percentile', 'Requests', 'Failed', 'From a cache']
  const rows = series[span]
    .filter(({ minutes }) => minutes > 0)
    .reverse()
    .map((point) =>
      [
        moment(point.at),
        percent(point.availability),
        milliseconds(point.latency.average_ms),
        milliseconds(point.latency.p99_ms),
        number(point.requests),
        number(point.failed),
        percent(point.cache_hit_ratio),
      ].map((text) => html`<td>${text}</td>`),
    )
  return html`<table id="points"><thead><tr>${heads.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead><tbody>${rows.map((cells) => html`<tr>${cells}</tr>`)}</tbody></table>`
}
