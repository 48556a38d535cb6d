import { html } from './escape.ts'
import type { PageContent } from './layout.ts'

/** `/status`: the frame; figures and charts come from `/status.json`, in the browser. */
export const statusPage = (): PageContent => ({
  title: 'Status',
  description: 'Availability, latency and incidents of the Certification Data API, as measured.',
  path: '/status',
  isWide: true,
  styles: ['status.css'],
  script: 'status.js',
  main: html`<div class="headline"><p class="soft small">Status</p>
<h1><span id="state-mark" class="mark"></span><span id="state">Loading …</span></h1>
<p id="note"></p>
<p id="fresh" class="soft small">This page needs JavaScript. <a href="/status.json">/status.json</a> has the same figures.</p></div>
<p id="live" class="visually-hidden" role="status"></p>

<section aria-labelledby="days-title"><h2 id="days-title">Availability by day</h2>
<div id="days" class="chart"></div></section>

<section aria-labelledby="figures-title"><h2 id="figures-title">Compared with the promise</h2>
<div class="scroll plate" tabindex="0" role="region" aria-label="Figures by period"><table id="figures"><thead></thead><tbody></tbody></table></div></section>

<section aria-labelledby="latency-title"><div class="chart-head"><h2 id="latency-title">Time to answer</h2>
<fieldset class="switch"><legend class="visually-hidden">Time shown</legend>
<label><input type="radio" name="span" value="minutes"><span>1 hour</span></label>
<label><input type="radio" name="span" value="quarters" checked><span>24 hours</span></label>
<label><input type="radio" name="span" value="days"><span>90 days</span></label></fieldset></div>
<div id="latency" class="chart"></div>
<h2>Requests</h2>
<div id="requests" class="chart"></div>
<details><summary>The same as a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Figures of the charts"><table id="points"></table></div></details></section>

<section aria-labelledby="incidents-title"><h2 id="incidents-title">Incidents, 90 days</h2>
<div id="incidents"></div></section>

<section aria-labelledby="method"><h2 id="method">How this is measured</h2>
<p>Every ten seconds, each instance sends itself a probe that reads the database. It also counts all of its answers. A minute has two shares: the probes that were answered, and the answers without a failure of the service (5xx, but not 501 and 505, which answer a wrong request). The lower share is the minute's availability. A minute without a report counts as not available. The charts show it as a gap.</p>
<p>The service measures times itself, from the arrival of a request to the end of its answer, for answers with data. They do not include the network. The oldest answer is the longest time for which an answer missed a change. Each probe takes a sample of it. The 99th percentile comes from a histogram and is exact to within a fifth.</p>
<p>A figure is judged if at least half of its period was measured. An average is judged from 20 answers on. Green keeps the promise, and red breaks it.</p></section>`,
})
