import { plural } from '../openapi/words.ts'
import type { Resource } from '../records/resources/define.ts'
import { resources } from '../records/resources/index.ts'
import { type Html, html } from './escape.ts'
import type { PageContent } from './layout.ts'
import { codeBlock } from './markdown.ts'
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

/** The promises to customers, and our stricter `objective`. */
export const targets = {
  availability: { promised: 0.99, objective: 0.999 },
  latency: { average_ms: 80 },
  freshness: { max_age_ms: 600 },
} as const

const promises = [
  {
    name: 'availability',
    title: 'Availability',
    promise: `${targets.availability.promised * 100} %`,
    words: 'Measured every ten seconds. Gaps in the measurement count against us.',
    isAboutMeasuring: true,
  },
  {
    name: 'average',
    title: 'Time to answer',
    promise: `< ${targets.latency.average_ms} ms`,
    words: 'On average. Your checkout or shipping desk does not wait.',
    isAboutMeasuring: false,
  },
  {
    name: 'freshness',
    title: 'Until you see a change',
    promise: `≤ ${targets.freshness.max_age_ms} ms`,
    words: 'A new or withdrawn certificate is then in every answer.',
    isAboutMeasuring: false,
  },
] as const

/** The state of the service, as a feature measures it. */
export type HomeState = Readonly<{
  /** Such as `0.9 ms` and `in 24 hours`. Promises without enough measurements are missing. */
  figures: Readonly<
    Partial<Record<(typeof promises)[number]['name'], Readonly<{ figure: string; note: string }>>>
  >
  /** A sentence, and a link to more. */
  line: Html
}>

/** Until enough was measured, the promise is shown in place of a figure. */
const proofList = (state: HomeState | undefined): readonly Html[] => {
  const figures = state?.figures ?? {}
  const isAnyKnown = Object.keys(figures).length > 0
  return promises.map(({ name, title, promise, words, isAboutMeasuring }) => {
    const { [name]: known } = figures
    const small = known ? `${known.note} · promised ${promise}` : isAnyKnown ? 'promised' : undefined
    return html`<div><dt>${title}</dt><dd class="figure" data-figure="${name}">${known?.figure ?? promise}</dd>${small && html`<dd class="small">${small}</dd>`}${state || !isAboutMeasuring ? html`<dd>${words}</dd>` : undefined}</div>`
  })
}

const resourceLine = ({ name, noun, contents }: Resource): Html => {
  const tag = plural(noun).replaceAll(' ', '-')
  return html`<div><dt><a href="/docs#tag/${tag}/GET/v1/${name}"><code>/v1/${name}</code></a></dt><dd>${contents}</dd></div>`
}

const contactButton = (page: PageEntry | undefined, look: string): Html | undefined =>
  page && html`<a class="${look}" href="${page.path}">${page.label}</a>`

/** A page with example data, as a feature shows it. */
export type HomeExample = Readonly<{
  path: string
  /** Of the button that leads to the page. */
  label: string
  /** A sentence below the button. */
  note: string
  /** Anchors of the page that show a use, such as `#markets`. Other uses lead to their guides. */
  views: Readonly<Partial<Record<(typeof uses)[number][0], string>>>
  /** Draws the example on a day (YYYY-MM-DD), with a caption. */
  draw: (today: string) => Html
}>

const exampleButton = (example: HomeExample | undefined, look: string): Html | undefined =>
  example && html`<a class="${look}" href="${example.path}">${example.label}</a>`

const hero = (
  today: string,
  { contactPage, example }: Pick<HomeContent, 'contactPage' | 'example'>,
): Html => html`<div class="hero"><div>
<p class="eyebrow">For manufacturers of certified products</p>
<h1>Know where you may sell, and what expires next.</h1>
<p class="lead">Your certification house keeps the certificates, approvals and test reports of your products. This API brings them into your ERP, shop and compliance systems.</p>
<p class="row">${exampleButton(example, 'button main')}${contactButton(contactPage, example ? 'button' : 'button main')}</p>
${example && html`<p class="small soft">${example.note}</p>`}
</div>
${example && html`<figure class="picture plate">${example.draw(today)}</figure>`}</div>`

/** Leads to the example if it shows the use, and otherwise to the guide. */
const useCard = (
  [picture, guide, title, text]: (typeof uses)[number],
  example: HomeExample | undefined,
): Html => {
  const guidePath = `/docs/guides/${guide}`
  const view = example?.views[picture]
  const more =
    view &&
    html`<p class="more small"><a href="${guidePath}">Guide<span class="visually-hidden">: ${title}</span></a></p>`
  return html`<li class="plate">${usePictures[picture]}<h3><a href="${example && view ? `${example.path}${view}` : guidePath}">${title}</a></h3><p>${text}</p>${more}</li>`
}

export type HomeOptions = Pick<SiteOptions, 'publicUrl' | 'demoToken'> & {
  contactPage: PageEntry | undefined
  /** A use is shown only with its guide. */
  hasGuide: (name: string) => boolean
}

type HomeContent = HomeOptions & {
  today: string
  state: HomeState | undefined
  example: HomeExample | undefined
}

/** Returns the content of the start page. */
export const homePage = ({
  publicUrl,
  demoToken,
  contactPage,
  hasGuide,
  today,
  state,
  example,
}: HomeContent): PageContent => ({
  title: 'Home',
  description:
    'Where each product may be sold today, and what expires next: certificates, approvals and test reports as JSON.',
  path: '/',
  isWide: true,
  styles: ['home.css'],
  main: html`${hero(today, { contactPage, example })}

<section class="band" aria-labelledby="proofs"><h2 id="proofs" class="visually-hidden">What you can rely on</h2>
<dl class="proofs">${proofList(state)}</dl>${state?.line}</section>

<section aria-labelledby="uses"><h2 id="uses">What teams do with it</h2>
<ul class="uses">${uses.filter(([, guide]) => hasGuide(guide)).map((use) => useCard(use, example))}</ul></section>

<section class="split" aria-labelledby="start"><div><p class="eyebrow">For developers</p>
<h2 id="start">One request, one answer</h2>
<p>Ask for the certificates that end next. The demo token is public, so you can send this request now. It reads example data only.</p>
<p>Your own API key opens your own records. The <a href="/docs/guides/quick-start">quick start</a> takes three requests.</p></div>
<div>${codeBlock(`curl -g '${publicUrl}/v1/certificates?expiring=true&sort=valid_until&fields=days_remaining&limit=2' \\\n  -H 'Authorization: Bearer ${demoToken}'`, 'sh')}${codeBlock(answer, 'json')}</div></section>

<section aria-labelledby="resources"><h2 id="resources">All resources, one grammar</h2>
<p class="soft">Each has filters, sorting, pages, exports, a history and a feed of changes. All of them work in the same way.</p>
<dl class="resources">${Object.values(resources).map(resourceLine)}</dl></section>

<section class="closing"><h2>See your own products</h2>
<p class="row">${contactButton(contactPage, 'button main')}${exampleButton(example, 'button')}</p></section>`,
})
