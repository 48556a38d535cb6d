import { html } from './escape.ts'
import type { GuideGroup } from './guides.ts'
import type { PageContent } from './layout.ts'

/** Where the reference's own program is; its version is part of the address, so browsers keep it. */
export const referenceScript = '/assets/reference-1.72.1.js'

/** `/docs`: the reference, drawn in the browser from `/openapi.json`, and the guides for integrators above it. */
export const docsPage = (demoToken: string, [integrators]: readonly GuideGroup[]): PageContent => ({
  title: 'Reference',
  description: 'Every endpoint, filter, header and error of the Certification Data API.',
  path: '/docs',
  isBare: true,
  styles: ['docs.css'],
  script: 'docs.js',
  main: html`<nav class="guides" aria-label="Guides"><strong>Guides</strong><ul>${integrators?.guides.map(({ path, title }) => html`<li><a href="${path}">${title}</a></li>`)}<li><a href="/docs/guides">All guides</a></li></ul></nav>
<noscript><p class="notice">The reference needs JavaScript. <a href="/openapi.json">The OpenAPI document</a> has the same content.</p></noscript>
<div id="reference" data-token="${demoToken}" data-script="${referenceScript}"></div>`,
})
