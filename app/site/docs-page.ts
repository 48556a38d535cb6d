import { html } from './escape.ts'
import type { PageContent } from './layout.ts'

/** The script of the reference (Scalar). Browsers cache it, because its URL contains the version. */
export const referenceScript = '/assets/reference-1.72.1.js'

/** Returns `/docs`. The browser renders the reference from `/openapi.json`. */
export const docsPage = (demoToken: string): PageContent => ({
  title: 'Reference',
  description: 'Every endpoint, filter, header and error of the Certification Data API.',
  path: '/docs',
  isBare: true,
  styles: ['docs.css'],
  script: 'docs.js',
  main: html`<noscript><p class="notice">The reference needs JavaScript. <a href="/openapi.json">The OpenAPI document</a> has the same content.</p></noscript>
<div id="reference" data-token="${demoToken}" data-script="${referenceScript}"><div class="skeleton" role="status" aria-label="Loading the reference"><i></i><i></i><i></i><i></i><i></i></div></div>`,
})
