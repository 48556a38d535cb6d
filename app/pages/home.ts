import { html } from './escape.ts'
import type { PageContent } from './layout.ts'

/** A command with a button that copies it. */
const command = (text: string) =>
  html`<div class="codebox"><pre tabindex="0"><code>${text}</code></pre></div>`

const resources = [
  ['certificates', 'Numbers as printed, validity periods, approval status, and whether each holds today'],
  ['products', 'Names, models, status, radio technologies'],
  ['projects', 'Project numbers, status, classification, your tags'],
  ['countries', 'Authorities, requirements, lead times, and how far you are in each'],
  ['lab', 'Test reports: standard, laboratory, result'],
  ['approvals', 'The road of each product into each country, from planned to granted'],
] as const

/** `/`. */
export const homePage = (publicUrl: string, demoToken: string): PageContent => ({
  title: 'Home',
  description: 'Certificates, approvals and test reports of a certification house, as JSON.',
  path: '/',
  script: 'home.js',
  styles: ['home.css'],
  main: html`<div class="hero">
<div>
<h1>Your certifications, as data.</h1>
<p class="lead">A read-only JSON API over the certificates, products, projects, approvals and test reports that your certification house keeps for you. For ERP systems that block a shipment, dashboards that show what expires, and mirrors that must not miss a change.</p>
<p class="row"><a class="button main" href="/demo">Try it in the browser</a><a class="button" href="/access">Request access</a></p>
</div>
<aside class="plate glance" aria-labelledby="glance"><h2 id="glance">Status</h2>
<p id="glance-text" role="status">Asking …</p>
<dl class="cells" id="glance-cells" hidden>
<div><dt>Availability, 30 days</dt><dd data-figure="availability">–</dd></div>
<div><dt>Average answer, 24 h</dt><dd data-figure="average">–</dd></div>
</dl>
<p class="small"><a href="/status">Availability, latency and incidents</a></p></aside>
</div>

<h2>Quick start</h2>
<p>Ask for the certificates of the example customer that end within 60 days. The demo token is public and sees example data only.</p>
${command(`curl -g '${publicUrl}/v1/certificates?expiring=true&valid_until[lt]=today+60d&limit=2' \\\n  -H 'Authorization: Bearer ${demoToken}'`)}
<p>With an API key of your own, log in for an access token, and use that in its place:</p>
${command(`curl '${publicUrl}/v1/auth/login' -H 'Content-Type: application/json' \\\n  -d '{"api_key": "cda_live_…"}'`)}

<h2>What there is</h2>
<dl class="resources">${resources.map(([name, text]) => html`<div><dt><a href="/demo?path=${encodeURIComponent(`/v1/${name}`)}"><code>/v1/${name}</code></a></dt><dd>${text}</dd></div>`)}</dl>

<h2>What you can rely on</h2>
<dl class="cells promises">
<div><dt>Availability</dt><dd>99 %<small>promised; we aim at 99.9 %</small></dd></div>
<div><dt>Average answer</dt><dd>&lt; 80 ms<small>shown as measured on <a href="/status">Status</a></small></dd></div>
<div><dt>Freshness</dt><dd>≤ 600 ms<small>after a commit, or the answer says that it is stale</small></dd></div>
<div><dt>Polling</dt><dd>304<small>send the <code>ETag</code> back: costs nothing of your minute</small></dd></div>
</dl>

<h2>Where to go on</h2>
<ul class="links">
<li><a href="/docs">Reference</a> <span class="soft">every endpoint, filter, header and error, with requests you can send</span></li>
<li><a href="/docs/guides">Guides</a> <span class="soft">quick start, queries, following changes, caching; for operators: deployment, import, audit</span></li>
<li><a href="/openapi.json">OpenAPI 3.1 document</a> <span class="soft">for generators</span></li>
<li><a href="/problems">Errors</a> <span class="soft">what each means and what to do</span></li>
</ul>`,
})
