import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { marked } from 'marked'
import { type Html, html } from './escape.ts'
import type { PageContent } from './layout.ts'

export type Guide = Readonly<{ path: string; title: string; page: PageContent }>

const folder = join(import.meta.dirname, '../../docs')
const base = '/docs/guides'

const files = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort()

/** Guides link to each other, and to the repository, as files: what is a page here is linked, the rest is text. */
const toPages = (text: string, names: ReadonlySet<string>): string =>
  text
    .replace(/href="(?:docs\/|\.\/)?([\w-]+)\.md(#[^"]*)?"/g, (all, name: string, part = '') =>
      names.has(`${name}.md`) ? `href="${base}/${name}${part}"` : all,
    )
    .replace(/<a href="(?!https?:|\/|#)[^"]*">(.*?)<\/a>/g, '$1')
    .replace(/<pre>/g, '<pre tabindex="0">')
    .replace(/<table>/g, '<div class="scroll" tabindex="0"><table>')
    .replace(/<\/table>/g, '</table></div>')

const readGuide = (file: string, _index: number, all: readonly string[]): Guide => {
  const text = readFileSync(join(folder, file), 'utf8')
  const title = /^# (.+)$/m.exec(text)?.[1] ?? file.replace(/\.md$/, '')
  const path = `${base}/${file.replace(/\.md$/, '')}`
  // Ours, as they are in the repository: no foreign text passes here.
  const body: Html = { html: toPages(marked.parse(text, { async: false }), new Set(all)) }
  const description = `A guide to the Certification Data API: ${title}`
  const main = html`<p class="soft"><a href="${base}">Guides</a></p><article class="guide">${body}</article>`
  return { path, title, page: { title, description, path, main } }
}

/** The Markdown files of `docs/`, as pages, and the list of them. */
export const guidePages = (): { guides: readonly Guide[]; pages: readonly PageContent[] } => {
  const guides = files().map(readGuide)
  const list: PageContent = {
    title: 'Guides',
    description: 'How to work with the Certification Data API.',
    path: base,
    main: html`<h1>Guides</h1><p class="lead">How things work and why, beside the <a href="/docs">reference</a>, which has every detail.</p>
<ul class="toc">${guides.map(({ path, title }) => html`<li><a href="${path}">${title}</a></li>`)}</ul>`,
  }
  return { guides, pages: [list, ...guides.map(({ page }) => page)] }
}
