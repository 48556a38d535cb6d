import { type Html, html } from './escape.ts'
import { type Guide, type GuideGroup, guidesPath } from './guides.ts'
import type { PageContent } from './layout.ts'
import type { Section } from './markdown.ts'

const renderContents = (sections: readonly Section[]): Html | undefined => {
  const parts = sections.filter(({ depth }) => depth === 2)
  if (parts.length < 2) return undefined
  return html`<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${parts.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>`
}

const allGuides = (groups: readonly GuideGroup[], current: Guide): Html =>
  html`<nav class="guides" aria-label="Guides">${groups.map(
    ({ title, guides }) =>
      html`<h2>${title}</h2><ul>${guides.map((guide) => html`<li><a href="${guide.path}"${guide === current ? html` aria-current="page"` : undefined}>${guide.title}</a></li>`)}</ul>`,
  )}</nav>`

const neighbour = (guide: Guide | undefined, words: string, rel: string): Html | undefined =>
  guide && html`<a href="${guide.path}" rel="${rel}"><small>${words}</small>${guide.title}</a>`

/** Returns the page of a guide. `index`: its position in `group`. */
export const guidePage = (
  guide: Guide,
  index: number,
  group: GuideGroup,
  groups: readonly GuideGroup[],
): PageContent => {
  const { path, title, summary } = guide
  const { body, sections } = guide.render()
  const markdown = `${path}.md`
  return {
    title,
    description: summary,
    path,
    isWide: true,
    styles: ['guide.css'],
    markdown,
    main: html`<div class="frame">${renderContents(sections)}
<article class="guide">${body}
<p class="source small"><a href="${markdown}">This page as Markdown</a></p>
<nav class="turn" aria-label="Previous and next">${neighbour(group.guides[index - 1], 'Previous', 'prev')}${neighbour(group.guides[index + 1], 'Next', 'next')}</nav></article>
${allGuides(groups, guide)}</div>`,
  }
}

/** Returns the page `/docs/guides`. */
export const guidesPage = (groups: readonly GuideGroup[]): PageContent => ({
  title: 'Guides',
  description: 'How to work with the Certification Data API.',
  path: guidesPath,
  styles: ['guide.css'],
  main: html`<h1>Guides</h1><p class="lead">The guides say how things work and why. The <a href="/docs">reference</a> has every detail.</p>
${groups.map(
  ({ title, guides }) =>
    html`<h2>${title}</h2><ul class="cards">${guides.map((guide) => html`<li><a href="${guide.path}"><strong>${guide.title}</strong></a><p>${guide.summary}</p></li>`)}</ul>`,
)}`,
})
