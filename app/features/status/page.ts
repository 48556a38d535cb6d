import type { House } from '../../config/house.ts'
import { dayMs } from '../../config/units.ts'
import { duration, moment, percent } from '../../site/browser/units.js'
import { type Html, html } from '../../site/escape.ts'
import type { PageContent } from '../../site/layout.ts'
import { daysChart, latencyChart, pointsTable, requestsChart, type StatusSpan } from './charts.ts'
import type { StatusDocument } from './document.ts'
import { figuresTable } from './figures.ts'

const spans: readonly (readonly [StatusSpan, string])[] = [
  ['minutes', '1 hour'],
  ['quarters', '24 hours'],
  ['days', '90 days'],
]

/** Reads the parameter `span` of `/status`. Anything unknown is the last day. */
export const findStatusSpan = (name: unknown): StatusSpan =>
  spans.find(([span]) => span === name)?.[0] ?? 'quarters'

const kinds = {
  failing: 'Requests or probes failed.',
  unreported: 'No instance reported. The time counts as not available.',
} as const

const shownDaysMs = 89 * dayMs

const incidentList = ({
  incidents,
  measured_since: since,
  generated_at: now,
}: StatusDocument): Html | readonly Html[] => {
  if (incidents.length === 0) {
    const isYoung = since !== null && Date.parse(since) > Date.parse(now) - shownDaysMs
    const when =
      since === null ? ' yet' : isYoung ? ` since measuring began on ${moment(since)}` : ' in 90 days'
    return html`<p class="soft">None${when}.</p>`
  }
  return incidents.map(
    ({ from, until, minutes, kind, availability, maintenance }) =>
      html`<div class="incident"><p><strong>${moment(from)}</strong>${until === null ? ', going on for ' : ' for '}${duration(minutes * 60)}, ${percent(availability)} available</p><p class="soft">${kinds[kind]}${maintenance === null ? '' : ` During maintenance: ${maintenance}`}</p></div>`,
  )
}

/** Maintenance that is announced or in progress. The earliest is first. */
const maintenanceList = ({ maintenance, generated_at: now }: StatusDocument): readonly Html[] =>
  maintenance
    .filter(({ until }) => Date.parse(until) > Date.parse(now))
    .reverse()
    .map(({ from, until, text }) => {
      const state = Date.parse(from) > Date.parse(now) ? 'Planned maintenance' : 'Maintenance in progress'
      return html`<p class="notice"><strong>${state}:</strong> ${moment(from)} to ${moment(until)}. ${text}</p>`
    })

const leastMinutes = 60

/** Returns the text of a new service, which hides all figures. `undefined` after an hour or an incident. */
const emptyState = ({ periods, incidents, measured_since: since }: StatusDocument): Html | undefined => {
  if (periods['90d'].minutes >= leastMinutes || incidents.length > 0) return undefined
  const begun = since === null ? 'Measuring begins now.' : `Measuring began on ${moment(since)}.`
  return html`<p><strong>This service is new.</strong> ${begun} Figures and charts appear after the first hour.</p>`
}

const switchTo = (shown: StatusSpan) =>
  spans.map(
    ([span, name]) =>
      html`<a href="/status?span=${span}#time"${span === shown ? html` aria-current="true"` : undefined}>${name}</a>`,
  )

const method = html`<section aria-labelledby="method"><h2 id="method">How this is measured</h2>
<p>Every ten seconds, each instance sends itself a probe that reads the database. It also counts all of its answers. A minute has two shares: the probes that were answered, and the answers without a failure of the service (5xx, but not 501 and 505, which answer a wrong request). The lower share is the minute's availability. A minute without a report counts as not available. The charts show it as a gap. Minutes of announced maintenance are marked. They count like all others.</p>
<p>The service measures times itself, from the arrival of a request to the end of its answer, for answers with data. They do not include the network. The oldest answer is the longest time for which an answer missed a change. Each probe takes a sample of it. The 99th percentile comes from a histogram and is exact to within a fifth.</p>
<p>A figure is judged if at least half of its period was measured. An average is judged from 20 answers on. Green keeps the promise, and red breaks it.</p></section>`

/** Returns `/status`. The browser refreshes each part with `data-live`. */
export const statusPage = (
  status: StatusDocument,
  span: StatusSpan,
  house: Pick<House, 'name'>,
): PageContent => ({
  title: 'Status',
  description: 'Availability, latency and incidents of the Certification Data API, as measured.',
  path: '/status',
  isWide: true,
  styles: ['chart.css', 'status.css'],
  script: 'status.js',
  main: html`<div class="headline"><p class="soft small">Status${house.name === undefined ? undefined : html` of the API of ${house.name}`}</p>
<div id="state" role="status" data-live><h1><span class="mark ${status.status}"></span>${status.headline}</h1></div>
<div id="maintenance" data-live>${maintenanceList(status)}</div>
<p id="note" data-live>${status.note ?? ''}</p>
<p id="fresh" class="soft small" data-live>As of ${moment(status.generated_at)}. Measured since ${status.measured_since ? moment(status.measured_since) : 'now'}. <a href="/status.json">As JSON</a></p></div>

<div id="empty" class="plate" data-live>${emptyState(status)}</div>
<div class="measured">
<section aria-labelledby="days-title"><h2 id="days-title">Availability by day</h2>
<div id="days" data-live>${daysChart(status)}</div></section>

<section aria-labelledby="figures-title"><h2 id="figures-title">Compared with the promise</h2>
<div id="compared" class="scroll plate" tabindex="0" role="region" aria-label="Figures by period" data-live>${figuresTable(status)}</div></section>

<section aria-labelledby="time"><div class="chart-head"><h2 id="time">Time to answer</h2>
<nav class="switch" aria-label="Time shown">${switchTo(span)}</nav></div>
<div id="latency" data-live>${latencyChart(status, span)}</div>
<h2>Requests</h2>
<div id="requests" data-live>${requestsChart(status, span)}</div>
<details><summary>The same as a table</summary><div id="listed" class="scroll" tabindex="0" role="region" aria-label="Figures of the charts" data-live>${pointsTable(status, span)}</div></details></section>

<section aria-labelledby="incidents-title"><h2 id="incidents-title">Incidents, 90 days</h2>
<div id="incidents" data-live>${incidentList(status)}</div></section>
</div>

${method}`,
})
