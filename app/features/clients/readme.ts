import { readFileSync } from 'node:fs'
import { guidesPath } from '../../site/guides.ts'
import { type RenderedMarkdown, renderMarkdown } from '../../site/markdown.ts'

const folder = new URL('../../../clients/', import.meta.url)

/** Sections for developers of the client itself, and the installation, which the page shows with the packages. */
const omitted = /^## (?:Install|Test|Publish)\b/

type ReadmeOptions = Readonly<{
  publicUrl: string
  demoToken: string
  /** Paths of pages by files of the repository. */
  shownFiles: Readonly<Record<string, string>>
}>

const toGuide = (file: string, anchor: string): string | undefined => {
  const name = /^\.\.\/\.\.\/docs\/([\w-]+)\.md$/.exec(file)?.[1]
  return name && `${guidesPath}/${name}${anchor}`
}

/**
 * Renders the README of a client below a heading of the second level. Its ids begin with the name of the client. Links
 * lead to pages of the service. A link to a file without a page becomes text.
 */
export const renderReadme = (
  client: 'typescript' | 'python',
  { publicUrl, demoToken, shownFiles }: ReadmeOptions,
): RenderedMarkdown => {
  const linked = (all: string, words: string, file: string, anchor = ''): string => {
    const path = toGuide(file, anchor) ?? shownFiles[file.replace(/^\.\.\//, 'clients/')]
    return path === undefined ? words : all.replace(/\([^)]*\)$/, `(${path})`)
  }
  const text = readFileSync(new URL(`${client}/README.md`, folder), 'utf8')
    .replace(/^# .*\n/, '')
    .split(/^(?=## )/m)
    .filter((section) => !omitted.test(section))
    .join('')
    .replaceAll('http://localhost:3000', publicUrl)
    .replaceAll('cda_demo_public', demoToken)
    .replace(/\[([^\]]+)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g, linked)
  const { body, sections } = renderMarkdown(text)
  const html = body.html
    .replace(/<(\/?)h([2-5])\b/g, (_all, end: string, level: string) => `<${end}h${Number(level) + 1}`)
    .replaceAll(/ (id|aria-labelledby)="/g, ` $1="${client}-`)
    .replaceAll(/ href="#/g, ` href="#${client}-`)
  const ofPage = sections.map((each) => ({ ...each, id: `${client}-${each.id}`, depth: each.depth + 1 }))
  return { body: { html }, sections: ofPage }
}
