import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RenderedMarkdown, renderMarkdown } from './markdown.ts'
import { once } from './once.ts'
import type { SiteOptions } from './options.ts'

export type Guide = Readonly<{
  path: string
  title: string
  summary: string
  /** Served at `<path>.md`. */
  markdown: string
  /** Takes some milliseconds at the first call. */
  render(): RenderedMarkdown
}>

export type GuideGroup = Readonly<{ title: string; guides: readonly Guide[] }>

const folder = join(import.meta.dirname, '../../docs')
export const guidesPath = '/docs/guides'

export const operators = 'For operators'

/** Files of `docs/` by audience, in reading order. */
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
  [operators]: [
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

/** Inserts the service's URL and demo token. A link to a file without a page becomes text. */
const asServed = (text: string, { publicUrl, demoToken }: SiteOptions): string =>
  text
    .replaceAll('http://localhost:3000', publicUrl)
    .replaceAll('cda_demo_public', demoToken)
    .replace(/\[([^\]]+)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g, (all, words: string, file: string) =>
      names.has(file.replace(/\.md$/, '')) ? all : words,
    )

const firstSentence = (paragraph: string) =>
  (/^.*?[.:](?= |$)/.exec(paragraph)?.[0] ?? paragraph)
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/:$/, '.')

const toPages = (rendered: string) =>
  rendered.replace(/href="([\w-]+)\.md(#[^"]*)?"/g, `href="${guidesPath}/$1$2"`)

const readGuide = (name: string, options: SiteOptions): Guide => {
  const markdown = asServed(readFileSync(join(folder, `${name}.md`), 'utf8'), options)
  const [, title = name] = /^# (.+)$/m.exec(markdown) ?? []
  const [paragraph = ''] = /^[^|#\s].*$/m.exec(markdown.replace(/^```.*?^```$/gms, '')) ?? []
  return {
    path: `${guidesPath}/${name}`,
    title,
    summary: firstSentence(paragraph),
    markdown,
    render: once(() => {
      const { body, sections } = renderMarkdown(markdown)
      return { body: { html: toPages(body.html) }, sections }
    }),
  }
}

/** Reads the guides from `docs/`, by audience. Throws if a file is missing. */
export const readGuides = (options: SiteOptions): GuideGroup[] =>
  Object.entries(groups).map(([title, files]) => ({
    title,
    guides: files.map((name) => readGuide(name, options)),
  }))
