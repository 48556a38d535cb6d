import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RenderedMarkdown, renderMarkdown } from './markdown.ts'
import { once } from './once.ts'
import { type Audience, type GuideEntry, listShownFiles, type SiteOptions } from './options.ts'

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

const titles: Readonly<Record<Audience, string>> = {
  integrators: 'For integrators',
  operators,
}

/** The guides that stand in this order, because a feature's guide is between others. All other guides follow. */
const order: readonly string[] = [
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
  'account',
  'versions',
  'operations',
  'tracing',
  'scaling',
  'import',
  'custom-documents',
]

const toRank = ({ name }: GuideEntry): number => (order.includes(name) ? order.indexOf(name) : order.length)

const kernelGuides: readonly GuideEntry[] = [
  { name: 'quick-start', audience: 'integrators' },
  { name: 'authentication', audience: 'integrators' },
  { name: 'queries', audience: 'integrators' },
  { name: 'exports', audience: 'integrators' },
  { name: 'spreadsheets', audience: 'integrators' },
  { name: 'caching', audience: 'integrators' },
  { name: 'errors', audience: 'integrators' },
  { name: 'limits', audience: 'integrators' },
  { name: 'versions', audience: 'integrators' },
  { name: 'operations', audience: 'operators' },
  { name: 'tracing', audience: 'operators' },
  { name: 'scaling', audience: 'operators' },
  { name: 'schema', audience: 'operators' },
  { name: 'freshness', audience: 'operators' },
  { name: 'audit', audience: 'operators' },
]

/** Inserts the service's URL and demo token. A link to a file without a page becomes text. */
type GuideOptions = Omit<SiteOptions, 'house'>

const asServed = (text: string, names: ReadonlySet<string>, options: GuideOptions): string => {
  const shownFiles = listShownFiles(options.features)
  return text
    .replaceAll('http://localhost:3000', options.publicUrl)
    .replaceAll('cda_demo_public', options.demoToken)
    .replace(
      /\[([^\]]+)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g,
      (all, words: string, file: string, anchor = '') => {
        if (names.has(file.replace(/\.md$/, ''))) return all
        const page = shownFiles[file.replace(/^\.\.\//, '')]
        return page === undefined ? words : `[${words}](${page}${anchor.replace('#', '-')})`
      },
    )
}

const firstSentence = (paragraph: string) =>
  (/^.*?[.:](?= |$)/.exec(paragraph)?.[0] ?? paragraph)
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/:$/, '.')

const toPages = (rendered: string) =>
  rendered.replace(/href="([\w-]+)\.md(#[^"]*)?"/g, `href="${guidesPath}/$1$2"`)

const readGuide = (name: string, names: ReadonlySet<string>, options: GuideOptions): Guide => {
  const markdown = asServed(readFileSync(join(folder, `${name}.md`), 'utf8'), names, options)
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

/** Reads the guides of kernel and features from `docs/`, by audience. Throws if a file is missing. */
export const readGuides = (options: GuideOptions): GuideGroup[] => {
  const given = [...kernelGuides, ...options.features.flatMap(({ guides = [] }) => guides)]
  const all = given.sort((a, b) => toRank(a) - toRank(b))
  const names = new Set(all.map(({ name }) => name))
  return Object.entries(titles).map(([audience, title]) => ({
    title,
    guides: all
      .filter((each) => each.audience === audience)
      .map(({ name }) => readGuide(name, names, options)),
  }))
}
