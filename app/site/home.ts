import type { StatusDocument } from '../observe/status/document.ts'
import { plural } from '../openapi/words.ts'
import type { Resource } from '../records/resources/define.ts'
import { resources } from '../records/resources/index.ts'
import { duration, milliseconds, percent } from './browser/units.js'
import { type Html, html } from './escape.ts'
import type { PageContent } from './layout.ts'
import { codeBlock } from './markdown.ts'
import { marketPicture } from './market-picture.ts'
import type { PageEntry, SiteOptions } from './options.ts'
import { usePictures } from './use-pictures.ts'

const uses = [
  [
    'check',
    'custom-endpoints',
    'Check before you ship',
    'Your ERP system asks whether a product may go to a country today, and why not.',
  ],
  [
    'ends',
    'exports',
    'See what ends next',
    'List what expires in 60 days, for a dashboard, a spreadsheet or a mail.',
  ],
  [
    'webhook',
    'webhooks',
    'Hear of changes in seconds',
    'A webhook tells your server within two seconds that something changed.',
  ],
  [
    'copy',
    'changes',
    'Keep your own copy',
    'Follow the changes. Your copy then has exactly the rows of a full read.',
  ],
  [
    'history',
    'history',
    'Show what happened',
    'Every record keeps its history: what changed, when, from what to what.',
  ],
  ['audit', 'who-looked', 'Know who looked', 'Give your auditor the log of your own reads.'],
] as const

const answer = `{"data": [
  {"id": "crt-lumen-gateway-kw", "days_remaining": 0},
  {"id": "crt-tracker-mini-br", "days_remaining": 14}],
 "page": {"limit": 2, "has_more": true, "next_cursor": "…"}}`

/** Until enough was measured, the promise is shown in place of a figure. */
const proofList = ({ targets, periods: { '24h': day, '30d': month } }: StatusDocument): readonly Html[] => {
  const measured = month.minutes === month.whole_minutes ? '30 days' : duration(month.minutes * 60)
  const proofs = [
    {
      name: 'availability',
      title: 'Availability',
      promise: `${targets.availability.promised * 100} %`,
      period: month,
      figure: percent(month.availability),
      note: `in ${measured}`,
      words: 'Measured every ten seconds. Gaps in the measurement count against us.',
    },
    {
      name: 'average',
      title: 'Time to answer',
      promise: `< ${targets.latency.average_ms} ms`,
      period: day,
      figure: milliseconds(day.latency.average_ms),
      note: 'in 24 hours',
      words: 'On average. Your checkout or shipping desk does not wait.',
    },
    {
      name: 'freshness',
      title: 'Until you see a change',
      promise: `≤ ${targets.freshness.max_age_ms} ms`,
      period: day,
      figure: milliseconds(day.max_age_ms),
      note: 'at most, in 24 hours',
      words: 'A new or withdrawn certificate is then in every answer.',
    },
  ] as const
  const isAnyKnown = proofs.some(({ name, period: { verdicts } }) => verdicts[name] !== 'unknown')
  return proofs.map(({ name, title, promise, period, figure, note, words }) => {
    const isKnown = period.verdicts[name] !== 'unknown'
    const small = isKnown ? `${note} · promised ${promise}` : isAnyKnown ? 'promised' : undefined
    return html`<div><dt>${title}</dt><dd class="figure" data-figure="${name}">${isKnown ? figure : promise}</dd>${small && html`<dd class="small">${small}</dd>`}<dd>${words}</dd></div>`
  })
}

const stateLine = ({ status, headline }: StatusDocument): Html => {
  const words =
    status === 'unknown'
      ? html`<span>Promised. The service has not measured for long enough yet.</span> `
      : html`<span class="mark ${status}"></span><span id="state">${headline}.</span> `
  return html`<p class="state">${words}<a href="/status">See the status page</a></p>`
}

const resourceLine = ({ name, noun, contents }: Resource): Html => {
  const tag = plural(noun).replaceAll(' ', '-')
  return html`<div><dt><a href="/docs#tag/${tag}/GET/v1/${name}"><code>/v1/${name}</code></a></dt><dd>${contents}</dd></div>`
}

const contactButton = (page: PageEntry | undefined, look: string): Html | undefined =>
  page && html`<a class="${look}" href="${page.path}">${page.label}</a>`

const hero = (today: string, contactPage: PageEntry | undefined): Html => html`<div class="hero"><div>
<p class="eyebrow">For manufacturers of certified products</p>
<h1>Know where you may sell, and what expires next.</h1>
<p class="lead">Your certification house keeps the certificates, approvals and test reports of your products. This API brings them into your ERP, shop and compliance systems.</p>
<p class="row"><a class="button main" href="/demo">Try the demo</a>${contactButton(contactPage, 'button')}</p>
<p class="small soft">The demo needs no account.</p>
</div>
<figure class="picture plate">${marketPicture(today)}
<figcaption>Records of a fictional manufacturer. <a href="/demo#markets">See the reasons in the demo</a></figcaption></figure></div>`

type HomeOptions = Pick<SiteOptions, 'publicUrl' | 'demoToken'> & {
  contactPage: PageEntry | undefined
  /** A use is shown only with its guide. */
  hasGuide: (name: string) => boolean
  status: StatusDocument
}

/** Returns the content of the home page. */
export const homePage = ({
  publicUrl,
  demoToken,
  contactPage,
  hasGuide,
  status,
}: HomeOptions): PageContent => ({
  title: 'Home',
  description:
    'Where each product may be sold today, and what expires next: certificates, approvals and test reports as JSON.',
  path: '/',
  isWide: true,
  styles: ['home.css'],
  main: html`${hero(status.generated_at.slice(0, 10), contactPage)}

<section class="band" aria-labelledby="proofs"><h2 id="proofs" class="visually-hidden">What you can rely on</h2>
<dl class="proofs">${proofList(status)}</dl>${stateLine(status)}</section>

<section aria-labelledby="uses"><h2 id="uses">What teams do with it</h2>
<ul class="uses">${uses.filter(([, guide]) => hasGuide(guide)).map(([picture, guide, title, text]) => html`<li class="plate">${usePictures[picture]}<h3><a href="/docs/guides/${guide}">${title}</a></h3><p>${text}</p></li>`)}</ul></section>

<section class="split" aria-labelledby="start"><div><p class="eyebrow">For developers</p>
<h2 id="start">One request, one answer</h2>
<p>Ask for the certificates that end next. The demo token is public, so you can send this request now. It reads example data only.</p>
<p>Your own API key opens your own records. The <a href="/docs/guides/quick-start">quick start</a> takes three requests.</p></div>
<div>${codeBlock(`curl -g '${publicUrl}/v1/certificates?expiring=true&sort=valid_until&fields=days_remaining&limit=2' \\\n  -H 'Authorization: Bearer ${demoToken}'`, 'sh')}${codeBlock(answer, 'json')}</div></section>

<section aria-labelledby="resources"><h2 id="resources">All resources, one grammar</h2>
<p class="soft">Each has filters, sorting, pages, exports, a history and a feed of changes. All of them work in the same way.</p>
<dl class="resources">${Object.values(resources).map(resourceLine)}</dl></section>

<section class="closing"><h2>See your own products</h2>
<p class="row">${contactButton(contactPage, 'button main')}<a class="button" href="/demo">Try the demo</a></p></section>`,
})
