import type { House } from '../../config/house.ts'
import { deadline } from '../../site/browser/units.js'
import { type Html, html } from '../../site/escape.ts'
import type { PageContent } from '../../site/layout.ts'
import type { FormOutcome, FormValues } from './form.ts'

/** The operator's settings that the page shows. `contact`: a `mailto:` or `https:` URL. */
type Operation = Readonly<{
  contact: string | undefined
  house: House
  keptDays: number
  /** Of a page that needs no access. */
  examplePath: string | undefined
}>

type Field = Readonly<{
  name: string
  label: string
  hint?: string
  autocomplete?: string
  type?: string
  most: number
}>

const fields: readonly Field[] = [
  { name: 'company', label: 'Company', autocomplete: 'organization', most: 200 },
  { name: 'name', label: 'Your name', autocomplete: 'name', most: 200 },
  {
    name: 'email',
    label: 'E-mail',
    hint: 'We send the answer to this address.',
    autocomplete: 'email',
    type: 'email',
    most: 254,
  },
  {
    name: 'message',
    label: 'The purpose of the access',
    hint: 'Say which systems will use it, and whether you are already a customer.',
    most: 4_000,
  },
]

const toSentence = (fault: string) => `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`

const faultLine = (name: string, fault: string | undefined) =>
  html`<p class="fault" id="${name}-fault"${fault === undefined ? html` hidden` : undefined}>${fault === undefined ? '' : toSentence(fault)}</p>`

const fieldBlock = (
  { name, label, hint, autocomplete, type, most }: Field,
  value: string,
  fault: string | undefined,
) => {
  const described = [...(hint ? [`${name}-hint`] : []), `${name}-fault`].join(' ')
  const shared = html`id="${name}" name="${name}" dir="auto" required maxlength="${most}" aria-describedby="${described}"${fault === undefined ? undefined : html` aria-invalid="true"`}${autocomplete ? html` autocomplete="${autocomplete}"` : undefined}`
  const control =
    name === 'message'
      ? html`<textarea ${shared} rows="6">${value}</textarea>`
      : html`<input ${shared} type="${type ?? 'text'}" value="${value}">`
  return html`<div class="field"><label for="${name}">${label}</label>${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : undefined}${control}${faultLine(name, fault)}</div>`
}

const consentWords = ({ house, keptDays }: Operation): Html => {
  const time = `${keptDays} ${keptDays === 1 ? 'day' : 'days'}`
  const notice =
    house.privacyUrl === undefined
      ? undefined
      : html` See the <a href="${house.privacyUrl}">privacy notice</a>.`
  return html`${house.name ?? 'The certification house'} may keep these details to answer the request. They are deleted ${time} after the decision, or after their arrival if there is none.${notice}`
}

const renderForm = (
  ticket: string,
  values: FormValues,
  faults: Readonly<Record<string, string>>,
  operation: Operation,
): Html =>
  html`<form id="access" class="plate" method="post" action="/access">
${fields.map((field) => fieldBlock(field, values[field.name] ?? '', faults[field.name]))}
<div class="field trap" aria-hidden="true"><label for="website">Website</label><input id="website" name="website" tabindex="-1" autocomplete="off" value=""></div>
<div class="field"><label class="consent"><input type="checkbox" id="consent" name="consent" value="true"${values.consent === 'true' ? html` checked` : undefined} required aria-describedby="consent-fault"${faults.consent === undefined ? undefined : html` aria-invalid="true"`}><span>${consentWords(operation)}</span></label>${faultLine('consent', faults.consent && 'tick this box to send the request')}</div>
<input type="hidden" name="ticket" value="${ticket}">
<button type="submit" class="main">Send the request</button>
</form>`

const receipt = (id: string, dueAt: string): Html =>
  html`<div class="notice" id="receipt" tabindex="-1"><h2>Your request has arrived.</h2><p>You will hear from us by <strong>${deadline(dueAt, 'UTC')} (UTC)</strong>, within one business day. If you have a question, give the id of the request: <code>${id}</code>.</p></div>`

const steps = html`<ol class="steps">
<li><strong>Send the form.</strong> It takes two minutes.</li>
<li><strong>Hear from us within one business day.</strong> A person reads the request and answers by e-mail.</li>
<li><strong>Get your API key.</strong> With it, <a href="/docs/guides/quick-start">three requests</a> lead to your first records.</li>
</ol>`

const contactLine = ({ contact, house }: Operation): Html =>
  contact === undefined
    ? html`<p>Write them in the form. ${house.name ?? 'The certification house that keeps your records'} answers them.</p>`
    : html`<p>Write to <a href="${contact}">${contact.replace(/^(mailto:|https:\/\/)/, '')}</a>. You get an answer within one business day.</p>`

const toPage = (main: Html, operation: Operation): PageContent => ({
  title: 'Get access',
  description: 'Ask for access to the Certification Data API.',
  path: '/access',
  styles: ['access.css'],
  script: 'access.js',
  main: html`<div class="narrow"><h1>Get access</h1>
<p class="lead">API access is part of the plans premium and enterprise.</p>
${steps}
${main}
<h2>Questions first?</h2>
${contactLine(operation)}
${operation.examplePath === undefined ? undefined : html`<p>The <a href="${operation.examplePath}">demo</a> needs no access. It uses example data and a public token.</p>`}</div>`,
})

/** Returns `/access` with an empty form. `ticket`: the signed time. */
export const accessPage = (ticket: string, operation: Operation): PageContent =>
  toPage(html`<div id="outcome" tabindex="-1"></div>${renderForm(ticket, {}, {}, operation)}`, operation)

/** Returns the page after a submission: the receipt, or the form again with its faults. */
export const accessOutcomePage = (
  outcome: FormOutcome,
  values: FormValues,
  ticket: string,
  operation: Operation,
): PageContent => {
  if (outcome.kind === 'received') return toPage(receipt(outcome.id, outcome.dueAt), operation)
  const { message, faults } = outcome
  const controls = [...fields, { name: 'consent', label: 'Your consent' }]
  const links = controls.filter(({ name }) => faults[name] !== undefined)
  return toPage(
    html`<div id="outcome" class="notice bad" tabindex="-1"><p><strong>${message}</strong></p><ul>${links.map(({ name, label }) => html`<li><a href="#${name}">${label}</a></li>`)}</ul></div>${renderForm(ticket, values, faults, operation)}`,
    operation,
  )
}
