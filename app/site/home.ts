import { html } from './escape.ts'
import type { PageContent } from './layout.ts'

/** A command with a button that copies it. */
const command = (text: string) =>
  html`<div class="codebox"><pre tabindex="0"><code>${text}</code></pre></div>`

const resources = [
  ['certificates', 'Numbers, validity periods, approval status, and whether a certificate is valid today'],
  ['products', 'Names, models, status, radio technologies'],
  ['projects', 'Project numbers, status, classification, your tags'],
  ['countries', 'Authorities, requirements, lead times, and your approvals in each country'],
  ['lab', 'Test reports: standard, laboratory, result'],
  ['approvals', 'The approval of each product in each country, from planned to granted'],
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
<p class="lead">A read-only JSON API to the certificates, products, projects, approvals and test reports that your certification house keeps for you. Use it in ERP systems that check shipments, in dashboards that show what expires, and in copies that must not miss a change.</p>
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
<p>This request asks for certificates of the example customer that end within 60 days. The demo token is public and reads example data only.</p>
${command(`curl -g '${publicUrl}/v1/certificates?expiring=true&valid_until[lt]=today+60d&limit=2' \\\n  -H 'Authorization: Bearer ${demoToken}'`)}
<p>With your own API key, log in to get an access token. Use it instead of the demo token:</p>
${command(`curl '${publicUrl}/v1/auth/login' -H 'Content-Type: application/json' \\\n  -d '{"api_key": "cda_live_…"}'`)}

<h2>Resources</h2>
<dl class="resources">${resources.map(([name, text]) => html`<div><dt><a href="/demo?path=${encodeURIComponent(`/v1/${name}`)}"><code>/v1/${name}</code></a></dt><dd>${text}</dd></div>`)}</dl>

<h2>What you can rely on</h2>
<dl class="cells promises">
<div><dt>Availability</dt><dd>99 %<small>promised; our own goal is 99.9 %</small></dd></div>
<div><dt>Average answer</dt><dd>&lt; 80 ms<small>see the measured value on <a href="/status">Status</a></small></dd></div>
<div><dt>Freshness</dt><dd>≤ 600 ms<small>after a commit; a stale answer says so</small></dd></div>
<div><dt>Polling</dt><dd>304<small>send the <code>ETag</code> back; it does not count against your minute</small></dd></div>
</dl>

<h2>Read on</h2>
<ul class="links">
<li><a href="/docs">Reference</a> <span class="soft">every endpoint, filter, header and error, with requests you can send</span></li>
<li><a href="/docs/guides">Guides</a> <span class="soft">quick start, queries, following changes, caching; for operators: deployment, import, audit</span></li>
<li><a href="/openapi.json">OpenAPI 3.1 document</a> <span class="soft">for generators</span></li>
<li><a href="/problems">Errors</a> <span class="soft">what each means and what to do</span></li>
</ul>`,
})
