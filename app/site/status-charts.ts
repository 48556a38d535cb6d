import type { StatusDocument } from '../observe/status/document.ts'
import { date, duration, milliseconds, moment, number, percent, time } from './browser/units.js'
import { barChart, gapMarks, lineChart, toneChart } from './charts.ts'
import { type Html, html } from './escape.ts'

/** Part of the document's series: the last hour, day or 90 days. */
export type StatusSpan = keyof StatusDocument['series']
type Point = StatusDocument['series'][StatusSpan][number]

const names = { minutes: 'last hour', quarters: 'last 24 hours', days: 'last 90 days' } as const

const toDate = ({ at }: Point) => date.format(new Date(at))
const toTime = ({ at }: Point) => time.format(new Date(at))

/** Returns words for the first and the last point, and for three between them. */
const listTimes = (points: readonly Point[], format: (point: Point) => string) =>
  [0, 0.25, 0.5, 0.75, 1].map((share) => format(points[Math.round(share * (points.length - 1))] as Point))

/** Returns the chart of 90 days, with a bar for each. */
export const daysChart = ({ series: { days }, targets }: StatusDocument): Html => {
  const { promised, objective } = targets.availability
  const measured = days.filter(({ minutes }) => minutes > 0)
  const good = measured.filter(({ availability }) => (availability ?? 0) >= objective)
  const toTone = ({ availability }: Point) =>
    availability === null
      ? 'none'
      : availability >= objective
        ? 'up'
        : availability >= promised
          ? 'some'
          : 'off'
  const toTitle = (day: Point) => {
    if (day.availability === null) return `${toDate(day)}: not measured`
    const missing = day.unreported_minutes
    const gap = missing > 0 ? `, ${duration(missing * 60)} without a report` : ''
    const part = day.minutes < 1440 ? `, ${duration(day.minutes * 60)} measured` : ''
    return `${toDate(day)}: ${percent(day.availability)} available${part}${gap}`
  }
  return toneChart({
    size: 'low',
    label: `Of ${measured.length} days measured, ${good.length} were ${objective * 100} % available or more.`,
    titles: days.map(toTitle),
    times: listTimes(days, toDate),
    keys: [
      ['up', `${objective * 100} % and more`],
      ['some', `${promised * 100} % and more`],
      ['off', 'less'],
      ['none', 'not measured'],
    ],
    tones: days.map(toTone),
  })
}

const toName = (point: Point, span: StatusSpan) => (span === 'days' ? toDate(point) : moment(point.at))

/** Returns the chart of the time to answer. */
export const latencyChart = ({ series, targets }: StatusDocument, span: StatusSpan): Html => {
  const points = series[span]
  const limit = targets.latency.average_ms
  const averages = points.map(({ latency }) => latency.average_ms)
  const worst = Math.max(0, ...averages.filter((value) => value !== null))
  return lineChart({
    size: 'high',
    label: `Time to answer, ${names[span]}: the average was ${milliseconds(worst)} at most; promised are ${limit} ms.`,
    titles: points.map(
      (point) =>
        `${toName(point, span)}: average ${milliseconds(point.latency.average_ms)}, 99th percentile ${milliseconds(point.latency.p99_ms)}`,
    ),
    times: listTimes(points, span === 'days' ? toDate : toTime),
    keys: [
      ['average', 'average'],
      ['p99', '99th percentile'],
      ['none', 'no report'],
    ],
    lines: [
      { name: 'p99', values: points.map(({ latency }) => latency.p99_ms) },
      { name: 'average', values: averages },
    ],
    limit,
    gaps: listGaps(points),
    format: milliseconds,
  })
}

const listGaps = (points: readonly Point[]) =>
  gapMarks(points.map(({ minutes, unreported_minutes: missing }) => minutes > 0 && missing > minutes / 2))

/** Returns the chart of requests. */
export const requestsChart = ({ series }: StatusDocument, span: StatusSpan): Html => {
  const points = series[span]
  const all = points.reduce((sum, { requests }) => sum + requests, 0)
  return barChart({
    size: 'middle',
    label: `Requests, ${names[span]}: ${number(all)}.`,
    titles: points.map(
      (point) =>
        `${toName(point, span)}: ${number(point.requests)} requests, ${number(point.failed)} failed, ${percent(point.cache_hit_ratio)} from a cache`,
    ),
    times: listTimes(points, span === 'days' ? toDate : toTime),
    keys: [
      ['average', 'requests'],
      ['off', 'failed'],
    ],
    values: points.map(({ requests }) => requests),
    failed: points.map(({ failed }) => failed),
    gaps: listGaps(points),
    format: (value) => (Number.isInteger(value) ? number(value) : ''),
  })
}

/** Returns the points of the charts as a table, the newest first. */
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
