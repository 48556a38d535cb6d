import { catalogue, type ErrorCode } from '../errors.ts'
import { problemExample } from '../openapi/problem-examples.ts'
import { type Html, html } from './escape.ts'
import type { PageContent } from './layout.ts'
import { problemWords } from './problem-words.ts'

const codes = Object.keys(catalogue) as ErrorCode[]

/** Returns the path of an error's page. The `type` of its problem document (RFC 9457) is this page's URL. */
export const problemPath = (code: ErrorCode): string => `/problems/${code}`

/** The codes in `errors` of an invalid query or body. */
const faults = {
  unknown_parameter: 'This address has no such parameter.',
  unknown_field: 'The field does not exist, or cannot be used here.',
  unknown_operator: 'The field does not take this operator.',
  invalid_value: 'The value has the wrong type or is out of range.',
  duplicate_parameter: 'A parameter that takes one value was given twice.',
  too_many_values: 'A list has more values than allowed.',
  not_sortable: 'The resource cannot be sorted by this field.',
}

const faultList = (): Html => html`<h2>Codes of single faults</h2>
<div class="scroll"><table aria-label="Codes of single faults"><thead><tr><th>errors[].code</th><th>Meaning</th></tr></thead><tbody>${Object.entries(faults).map(([code, text]) => html`<tr><td><code>${code}</code></td><td>${text}</td></tr>`)}</tbody></table></div>`

const sentence = (text: string): Html[] =>
  text.split('`').map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))

const problemPage = (code: ErrorCode, publicUrl: string): PageContent => {
  const [status, title] = catalogue[code]
  const { means, why, steps } = problemWords[code]
  const example = JSON.stringify(problemExample(code, publicUrl), null, 2)
  return {
    title,
    description: `${status} ${code}: ${means}`,
    path: problemPath(code),
    main: html`<p class="soft"><a href="/problems">Errors</a></p>
<h1>${title}</h1>
<dl class="cells"><div><dt>Status</dt><dd>${status}</dd></div><div><dt>Code</dt><dd>${code}</dd></div></dl>
<h2>What it means</h2><p>${means}</p>
<h2>Why it happens</h2><p>${why}</p>
<h2>What to do</h2><ul>${steps.map((each) => html`<li>${sentence(each)}</li>`)}</ul>
${code === 'invalid_query' ? faultList() : undefined}
<h2>Example</h2><pre tabindex="0"><code>${example}</code></pre>`,
  }
}

const listPage = (): PageContent => ({
  title: 'Errors',
  description: 'Every error of the API, what it means and what to do about it.',
  path: '/problems',
  main: html`<h1>Errors</h1>
<p class="lead">Errors are problem documents (RFC 9457). <code>type</code> leads to a page below. <code>code</code> is for programs, and <code>detail</code> is for people. Give <code>request_id</code> to the operator when you have a question.</p>
<div class="scroll"><table class="stacked" aria-label="All errors"><thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead><tbody>${codes.map(
    (code) => {
      const [status] = catalogue[code]
      return html`<tr><td>${status}</td><td><a href="${problemPath(code)}"><code>${code}</code></a></td><td>${problemWords[code].means}</td></tr>`
    },
  )}</tbody></table></div>`,
})

/** Returns `/problems` and the page of each error. */
export const problemPages = (publicUrl: string): PageContent[] => [
  listPage(),
  ...codes.map((code) => problemPage(code, publicUrl)),
]
