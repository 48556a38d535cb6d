import { createRequire } from 'node:module'
import { Marked, type Tokens } from 'marked'
import { escapeHtml, type Html, html } from './escape.ts'

type Highlighter = {
  registerLanguage(name: string, language: unknown): void
  getLanguage(name: string): unknown
  highlight(code: string, options: { language: string }): { value: string }
}

// `require`, because with `import` the package's types add the browser's globals to the whole program.
const require = createRequire(import.meta.url)
const highlighter = require('highlight.js/lib/core') as Highlighter
for (const name of ['bash', 'go', 'http', 'javascript', 'json', 'python', 'sql', 'typescript', 'yaml']) {
  highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${name}`))
}

/** A heading with the text below it. `id` is empty for the title of the document. */
export type Section = Readonly<{ id: string; title: string; depth: number; text: string }>

export type RenderedMarkdown = Readonly<{ body: Html; sections: readonly Section[] }>

/** GitHub's rule for unique headings, so that a link to a heading works in the repository, too. */
const toSlug = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

const toText = (rendered: string) =>
  rendered
    .replace(/<\/?(?:a|code|em|span|strong)\b[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replace(/&#(?:39|x27);/g, "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()

/** Blocks in these languages get a copy button. Others are answers, which are not copied. */
const copied = new Set(['sh', 'js', 'ts', 'python', 'go', 'sql', 'yaml'])

/** Returns code with highlighting. `language`: the word after the fence in Markdown; an unknown one gets none. */
export const codeBlock = (code: string, language = ''): Html => {
  const marked = highlighter.getLanguage(language)
    ? highlighter.highlight(code, { language }).value
    : escapeHtml(code)
  return html`<div class="codebox"${copied.has(language) ? html` data-copy="${language}"` : undefined}><pre tabindex="0"><code>${{ html: marked }}</code></pre></div>`
}

const markdown = new Marked({
  renderer: {
    heading({ tokens, depth }: Tokens.Heading) {
      const inner = this.parser.parseInline(tokens)
      if (depth === 1) return `<h1>${inner}</h1>\n`
      const id = toSlug(toText(inner))
      return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${depth}>\n`
    },
    code: ({ text, lang }: Tokens.Code) => `${codeBlock(text, lang).html}\n`,
  },
})

/** Blocks that are not copied are answers. Words of answers and programs are also in the text and in the reference. */
const withoutPrograms = (rendered: string) =>
  rendered.replace(/<div class="codebox"(?: data-copy="(?:js|ts|python|go)")?><pre.*?<\/pre><\/div>/gs, ' ')

const listSections = (body: string): Section[] =>
  body.split(/(?=<h[1-3][ >])/).map((part) => {
    const [all = '', depth = '1', id = '', heading = ''] =
      /^<h([1-3])(?: id="([^"]+)")?>(.*?)<\/h\1>/s.exec(part) ?? []
    return {
      id,
      title: toText(heading),
      depth: Number(depth),
      text: toText(withoutPrograms(part.slice(all.length))),
    }
  })

/** Each table scrolls in a box that the keyboard reaches. The heading above names it. */
const boxTables = (body: string): string => {
  let name = ''
  return body.replace(
    /<h1>(?<title>.*?)<\/h1>|<h[2-6] id="(?<id>[^"]+)"|<table>|<\/table>/gs,
    (found: string, title: string | undefined, id: string | undefined) => {
      if (title !== undefined) name = ` role="group" aria-label="${escapeHtml(toText(title))}"`
      if (id !== undefined) name = ` role="group" aria-labelledby="${id}"`
      if (found === '<table>') return `<div class="scroll" tabindex="0"${name}><table>`
      return found === '</table>' ? '</table></div>' : found
    },
  )
}

/** Converts Markdown of this repository. The result is not sanitised, so never pass text from outside. */
export const renderMarkdown = (text: string): RenderedMarkdown => {
  const body = boxTables(markdown.parse(text, { async: false }))
  return { body: { html: body }, sections: listSections(body) }
}
