import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { marked } from 'marked'
import { type Html, html } from './escape.ts'
import type { PageContent } from './layout.ts'

export type Guide = Readonly<{ path: string; title: string; page: PageContent }>

const folder = join(import.meta.dirname, '../../docs')
const base = '/docs/guides'

/** Files of `docs/`, by who reads them, in the order in which they are read first. */
const integrators = [
  'quick-start',
  'authentication',
  'queries',
  'changes',
  'exports',
  'spreadsheets',
  'caching',
  'errors',
  'limits',
  'custom-endpoints',
  'versions',
]
const operators = [
  'operations',
  'scaling',
  'import',
  'schema',
  'freshness',
  'audit',
  'personal-data',
  'access-requests',
]
const names: ReadonlySet<string> = new Set([...integrators, ...operators])

/** Turns links between files into links between pages. A link to a file without a page becomes plain text. */
const toPages = (text: string): string =>
  text
    .replace(/href="(?:docs\/|\.\/)?([\w-]+)\.md(#[^"]*)?"/g, (all, name: string, part = '') =>
      names.has(name) ? `href="${base}/${name}${part}"` : all,
    )
    .replace(/<a href="(?!https?:|\/|#)[^"]*">([^<]*(?:<(?!\/?a\b)[^<]*)*)<\/a>/g, '$1')
    .replace(/<pre>/g, '<pre tabindex="0">')
    .replace(/<table>/g, '<div class="scroll" tabindex="0"><table>')
    .replace(/<\/table>/g, '</table></div>')

const readGuide = (name: string): Guide => {
  const text = readFileSync(join(folder, `${name}.md`), 'utf8')
  const title = /^# (.+)$/m.exec(text)?.[1] ?? name
  const path = `${base}/${name}`
  // Ours, as they are in the repository: no foreign text passes here.
  const body: Html = { html: toPages(marked.parse(text, { async: false })) }
  const description = `A guide to the Certification Data API: ${title}`
  const main = html`<p class="soft"><a href="${base}">Guides</a></p><article class="guide">${body}</article>`
  return { path, title, page: { title, description, path, main } }
}

const listOf = (guides: readonly Guide[]): Html =>
  html`<ul class="toc">${guides.map(({ path, title }) => html`<li><a href="${path}">${title}</a></li>`)}</ul>`

/** The Markdown files of `docs/` as pages, with the list of them; `guides` are those for integrators. Throws where a file is missing. */
export const guidePages = (): { guides: readonly Guide[]; pages: readonly PageContent[] } => {
  const guides = integrators.map(readGuide)
  const others = operators.map(readGuide)
  const list: PageContent = {
    title: 'Guides',
    description: 'How to work with the Certification Data API.',
    path: base,
    main: html`<h1>Guides</h1><p class="lead">How things work and why, beside the <a href="/docs">reference</a>, which has every detail.</p>
<h2>For integrators</h2>${listOf(guides)}
<h2>For operators</h2>${listOf(others)}`,
  }
  return { guides, pages: [list, ...[...guides, ...others].map(({ page }) => page)] }
}
