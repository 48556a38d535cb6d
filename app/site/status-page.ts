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
  main: html`<div class="headline"><h1><span id="state-mark" class="mark"></span><span id="state">Asking …</span></h1>
<p id="fresh" class="soft small">This page needs JavaScript; the figures are at <a href="/status.json">/status.json</a>.</p></div>
<p id="live" class="visually-hidden" role="status"></p>

<section aria-labelledby="days-title"><h2 id="days-title">Availability by day</h2>
<div id="days" class="chart"></div></section>

<section aria-labelledby="figures-title"><h2 id="figures-title">Compared with the promise</h2>
<div class="scroll plate" tabindex="0" role="region" aria-label="Figures by period"><table id="figures"><thead><tr>
<th scope="col">Figure</th><th scope="col">Last 5 minutes</th><th scope="col">24 hours</th><th scope="col">30 days</th><th scope="col">90 days</th><th scope="col">Promised</th>
</tr></thead><tbody></tbody></table></div></section>

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
<p>Every ten seconds, each instance sends itself a probe that reads the database. It also counts all of its answers. The availability of a minute is the lower of two shares: the share of its six probes that were answered, and the share of answers without a fault of ours (5xx). A minute without a report counts as not available, and is drawn as a gap. Times are measured at the service, from the arrival of a request to the end of its answer, for answers with data. They do not include the network. The oldest answer is the longest time for which a change was missing from an answer, sampled with each probe. The 99th percentile comes from a histogram and is exact to within a fifth.</p></section>`,
})
