import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Html } from './escape.ts'
import { renderMarkdown, type Section } from './markdown.ts'
import type { SiteOptions } from './site.ts'

export type Guide = Readonly<{
  path: string
  title: string
  /** Its first sentence. */
  summary: string
  /** As it is served at `<path>.md`. */
  markdown: string
  body: Html
  sections: readonly Section[]
}>

export type GuideGroup = Readonly<{ title: string; guides: readonly Guide[] }>

const folder = join(import.meta.dirname, '../../docs')
/** Where the guides' pages are. */
export const guidesPath = '/docs/guides'

/** Files of `docs/`, by who reads them, in the order in which they are read first. */
const groups = {
  'For integrators': [
    'quick-start',
    'authentication',
    'queries',
    'changes',
    'history',
    'webhooks',
    'exports',
    'spreadsheets',
    'caching',
    'errors',
    'limits',
    'custom-endpoints',
    'who-looked',
    'versions',
  ],
  'For operators': [
    'operations',
    'scaling',
    'import',
    'custom-documents',
    'schema',
    'freshness',
    'audit',
    'personal-data',
    'access-requests',
  ],
}
const names: ReadonlySet<string> = new Set(Object.values(groups).flat())

/**
 * A guide's text as a reader of the running service sees it: with the service's address and demo token, and without
 * links to files that are no pages.
 */
const asServed = (text: string, { publicUrl, demoToken }: SiteOptions): string =>
  text
    .replaceAll('http://localhost:3000', publicUrl)
    .replaceAll('cda_demo_public', demoToken)
    .replace(/\[([^\]]+)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g, (all, words: string, file: string) =>
      names.has(file.replace(/\.md$/, '')) ? all : words,
    )

/** Without the Markdown of links and code. */
const firstSentence = (paragraph: string) =>
  (/^.*?[.:](?= |$)/.exec(paragraph)?.[0] ?? paragraph)
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/:$/, '.')

/** Links between files become links between pages. */
const toPages = (rendered: string) =>
  rendered.replace(/href="([\w-]+)\.md(#[^"]*)?"/g, `href="${guidesPath}/$1$2"`)

const readGuide = (name: string, options: SiteOptions): Guide => {
  const markdown = asServed(readFileSync(join(folder, `${name}.md`), 'utf8'), options)
  const { body, sections } = renderMarkdown(markdown)
  const [paragraph = ''] = /^[^|#\s].*$/m.exec(markdown.replace(/^```.*?^```$/gms, '')) ?? []
  return {
    path: `${guidesPath}/${name}`,
    title: sections.find(({ depth }) => depth === 1)?.title ?? name,
    summary: firstSentence(paragraph),
    markdown,
    body: { html: toPages(body.html) },
    sections,
  }
}

/** The Markdown files of `docs/` as guides, by who reads them. Throws where a file is missing. */
export const readGuides = (options: SiteOptions): GuideGroup[] =>
  Object.entries(groups).map(([title, files]) => ({
    title,
    guides: files.map((name) => readGuide(name, options)),
  }))
