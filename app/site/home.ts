import type { StatusDocument } from '../observe/status/document.ts'
import { duration, milliseconds, percent } from './browser/units.js'
import { type Html, html } from './escape.ts'
import type { PageContent } from './layout.ts'
import { codeBlock } from './markdown.ts'
import type { SiteOptions } from './site.ts'
import { timeline } from './timeline.ts'

const resources = [
  ['certificates', 'Numbers, validity periods, approval status, and whether a certificate is valid today'],
  ['products', 'Names, models, status, radio technologies'],
  ['projects', 'Project numbers, status, classification, your tags'],
  ['countries', 'Authorities, requirements, lead times, and your approvals in each country'],
  ['lab', 'Test reports: standard, laboratory, result'],
  ['approvals', 'The approval of each product in each country, from planned to granted'],
] as const

const proofs = [
  [
    'freshness',
    'Fresh',
    '≤ 600 ms',
    'Every answer has all changes that were committed 600 ms before. If one cannot, it says that it is old.',
  ],
  [
    'average',
    'Fast',
    '< 80 ms',
    'An answer takes less than 80 ms on average. Your checkout or shipping desk does not wait.',
  ],
  [
    'availability',
    'There when you need it',
    '99 %',
    'Measured every ten seconds, and shown with every incident. Gaps count against us.',
  ],
] as const

const uses = [
  [
    'custom-endpoints',
    'Check before you ship',
    'Ask in your ERP system whether a product may go to a country today, and why.',
  ],
  [
    'exports',
    'See what ends next',
    'List what expires in 60 days, for a dashboard, a spreadsheet or a mail.',
  ],
  [
    'changes',
    'Keep your own copy',
    'Follow the changes. Your copy then has exactly the rows of a full read.',
  ],
  ['history', 'Show what happened', 'Every record keeps its history: what changed, when, from what to what.'],
  [
    'webhooks',
    'Hear of changes at once',
    'A webhook tells your server within two seconds that something changed.',
  ],
  ['who-looked', 'Know who looked', 'Give your auditor the log of your own reads, with proofs.'],
] as const

const answer = `{"data": [
  {"id": "crt-lumen-gateway-kw", "days_remaining": 0},
  {"id": "crt-tracker-mini-br", "days_remaining": 14}],
 "page": {"limit": 2, "has_more": true, "next_cursor": "…"}}`

const measuredFigures = ({
  targets,
  periods,
}: StatusDocument): Readonly<Record<string, readonly [figure: string, note: string]>> => {
  const { latency, freshness, availability } = targets
  const { '24h': day, '30d': month } = periods
  const part = month.minutes === month.whole_minutes ? '' : `, ${duration(month.minutes * 60)} measured`
  const figures = [
    [
      'freshness',
      day,
      milliseconds(day.max_age_ms),
      `oldest answer in 24 hours, promised ≤ ${freshness.max_age_ms} ms`,
    ],
    [
      'average',
      day,
      milliseconds(day.latency.average_ms),
      `average in 24 hours, promised < ${latency.average_ms} ms`,
    ],
    [
      'availability',
      month,
      percent(month.availability),
      `in 30 days${part}, promised ${availability.promised * 100} %`,
    ],
  ] as const
  return Object.fromEntries(
    figures
      .filter(([name, { verdicts }]) => verdicts[name] !== 'unknown')
      .map(([name, , figure, note]) => [name, [figure, note]]),
  )
}

const proofList = (status: StatusDocument): readonly Html[] => {
  const measured = measuredFigures(status)
  return proofs.map(([name, title, promise, words]) => {
    const [figure, note] = measured[name] ?? [promise, 'promised']
    return html`<div><dt>${title}</dt><dd class="figure" data-figure="${name}">${figure}</dd><dd class="small soft">${note}</dd><dd>${words}</dd></div>`
  })
}

/** Returns `/` with the current figures. */
export const homePage = ({ publicUrl, demoToken }: SiteOptions, status: StatusDocument): PageContent => ({
  title: 'Home',
  description: 'Certificates, approvals and test reports of a certification house, as JSON.',
  path: '/',
  isWide: true,
  styles: ['home.css'],
  main: html`<div class="hero">
<h1>Your certifications, as data.</h1>
<p class="lead">A certification house keeps your certificates, approvals and test reports. With this API, your ERP, shop and compliance systems read them as JSON.</p>
<p class="row"><a class="button main" href="/demo">Try the demo</a><a class="button" href="/access">Request access</a></p>
</div>

<figure class="picture plate">
<div class="scroll">${timeline(status.generated_at.slice(0, 10))}</div>
<figcaption><code>GET /v1/certificates?include=product</code> <span>Example data. The <a href="/demo">demo</a> shows the same.</span></figcaption>
</figure>

<section aria-labelledby="proofs"><h2 id="proofs" class="visually-hidden">What you can rely on</h2>
<dl class="proofs">${proofList(status)}</dl>
<p class="state"><span class="mark ${status.status}"></span><span id="state">${status.headline}.</span> <a href="/status">See the status page</a></p></section>

<section class="split" aria-labelledby="start"><div><h2 id="start">One request, one answer</h2>
<p>Ask for the certificates that end next. The demo token is public, so you can send this request now. It reads example data only.</p>
<p>Your own API key opens your own records. The <a href="/docs/guides/quick-start">quick start</a> takes three requests.</p></div>
<div>${codeBlock(`curl -g '${publicUrl}/v1/certificates?expiring=true&sort=valid_until&fields=days_remaining&limit=2' \\\n  -H 'Authorization: Bearer ${demoToken}'`, 'sh')}${codeBlock(answer, 'json')}</div></section>

<section aria-labelledby="uses"><h2 id="uses">What teams do with it</h2>
<ul class="uses">${uses.map(([guide, title, text]) => html`<li><h3><a href="/docs/guides/${guide}">${title}</a></h3><p>${text}</p></li>`)}</ul></section>

<section aria-labelledby="resources"><h2 id="resources">Six resources, one grammar</h2>
<p class="soft">Each has filters, sorting, pages, exports, a history and a feed of changes. All of them work in the same way.</p>
<dl class="resources">${resources.map(([name, text]) => html`<div><dt><a href="/docs#tag/${name === 'lab' ? 'test-reports' : name}/GET/v1/${name}"><code>/v1/${name}</code></a></dt><dd>${text}</dd></div>`)}</dl></section>`,
})
