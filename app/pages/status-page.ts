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

<section aria-labelledby="figures-title"><h2 id="figures-title">Against what is promised</h2>
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
<p>Each instance asks itself for data every ten seconds, through the database, and counts every answer it gives. A minute is as available as the worse of two: the share of its six probes that were answered, and the share of answers that were no fault of ours (5xx). Minutes that no instance reported count as not available, and are drawn as gaps. Times are those of answers with data, from the arrival of the request to the end of the answer, measured at the service; the network is not in them. The oldest answer says for how long a change may at most have been missing from an answer, sampled with each probe. The 99th percentile comes from a histogram and is right to within a fifth.</p></section>`,
})
