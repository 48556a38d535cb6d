import { html } from './escape.ts'
import type { PageContent } from './layout.ts'
import type { PageEntry } from './options.ts'

/** Returns the page for unknown addresses. `pages`: of features. It is rendered once, so it neither shows the address nor has a `path`. */
export const missingPage = (pages: readonly PageEntry[]): PageContent => ({
  title: 'Page not found',
  description: 'There is no page at this address.',
  path: '',
  main: html`<p class="soft">404</p>
<h1>There is no page at this address.</h1>
<p class="lead">The address may have a typing mistake, or the page has moved.</p>
<p class="row"><button type="button" class="main" data-search hidden>Search the documentation</button><a class="button" href="/">Go to the start page</a></p>
<h2>Pages that people look for</h2>
<ul>
<li><a href="/docs">Reference</a>: every endpoint, filter and header</li>
<li><a href="/docs/guides">Guides</a>: how things work and why</li>
<li><a href="/problems">Errors</a>: what each code means and what to do</li>
${pages.flatMap(({ path, label, contents }) => (contents === undefined ? [] : [html`<li><a href="${path}">${label}</a>: ${contents}</li>\n`]))}</ul>
<p class="soft small">Programs get a problem document (RFC 9457) here. Only a browser gets this page.</p>`,
})
