import type { House } from '../config/house.ts'
import type { Assets } from './assets.ts'
import { type Html, html } from './escape.ts'
import type { PageEntry } from './options.ts'

export type PageContent = Readonly<{
  title: string
  description: string
  path: string
  main: Html
  styles?: readonly string[]
  script?: string
  isWide?: boolean
  /** The content brings its own design and `main` element. */
  isBare?: boolean
  markdown?: string
}>

/** The kernel's pages in the navigation. Pages of features follow. */
export const kernelPages: readonly PageEntry[] = [
  { path: '/docs', label: 'Reference' },
  { path: '/docs/guides', label: 'Guides' },
]

const linksTo = (navigation: readonly PageEntry[], path: string) =>
  navigation.map(({ path: href, label }) => {
    const isWithin = href === '/docs/guides' && path.startsWith(`${href}/`)
    const mark =
      href === path ? html` aria-current="page"` : isWithin ? html` aria-current="true"` : undefined
    return html`<li><a href="${href}"${mark}>${label}</a></li>`
  })

/** The picture for chats and social networks, 1200 × 630 pixels. */
export const previewPath = '/assets/preview.png'

/** Open Graph tags, see https://ogp.me. Addresses must be absolute. */
const openGraph = ({ title, description, path }: PageContent, publicUrl: string): Html => {
  const tags = {
    site_name: 'Certification Data API',
    type: 'website',
    title,
    description,
    ...(path === '' ? {} : { url: publicUrl + path }),
    image: publicUrl + previewPath,
  }
  return html`${Object.entries(tags).map(([name, content]) => html`<meta property="og:${name}" content="${content}">\n`)}<meta name="twitter:card" content="summary_large_image">`
}

/** Lists every file that the page loads, also indirectly, so that the browser fetches all in one round trip. */
const renderHead = (assets: Assets, { styles = [], script, isBare, markdown }: PageContent): Html => {
  const own = isBare ? ['frame.css'] : ['frame.css', 'style.css']
  const entries = ['site.js', ...(script === undefined ? [] : [script])]
  const modules = new Set(entries.flatMap((name) => assets.imports(name)))
  const getUrl = (name: string) => assets.get(name).url
  return html`<link rel="preload" href="${getUrl('geist.woff2')}" as="font" type="font/woff2" crossorigin>
<link rel="icon" href="${getUrl('icon.svg')}" type="image/svg+xml">
${[...own, ...styles].map((name) => html`<link rel="stylesheet" href="${getUrl(name)}">`)}
${[...modules].map((name) => html`<link rel="modulepreload" href="${getUrl(name)}">`)}
${entries.map((name) => html`<script type="module" src="${getUrl(name)}"></script>`)}
${markdown === undefined ? undefined : html`<link rel="alternate" type="text/markdown" href="${markdown}">`}`
}

/** The same for all pages. `publicUrl` has no slash at its end. */
type Frame = Readonly<{
  assets: Assets
  navigation: readonly PageEntry[]
  /** Links of the footer, next to those of the kernel. */
  footer: readonly PageEntry[]
  publicUrl: string
  house: House
}>

const houseLinks = ({ imprintUrl, privacyUrl }: House): Html[] => {
  const links = [
    [imprintUrl, 'Imprint'],
    [privacyUrl, 'Privacy'],
  ] as const
  return links.flatMap(([url, name]) =>
    url === undefined ? [] : [html`<li><a href="${url}">${name}</a></li>`],
  )
}

/** Returns the whole page, with head, navigation and footer. */
export const layOut = (
  page: PageContent,
  { assets, navigation, footer, publicUrl, house }: Frame,
): string => {
  const { title, description, path, main, isWide, isBare } = page
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Certification Data API</title>
<meta name="description" content="${description}">
${openGraph(page, publicUrl)}
${renderHead(assets, page)}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site"><div class="bar">
<a class="brand" href="/"${path === '/' ? html` aria-current="page"` : undefined}><img src="${assets.get('icon.svg').url}" alt="" width="24" height="24">Certification Data API</a>
<nav aria-label="Site"><ul>${linksTo(navigation, path)}</ul></nav>
<button type="button" class="search" data-search aria-keyshortcuts="/" hidden>Search <kbd aria-hidden="true">/</kbd></button>
</div></header>
${isBare ? html`<div id="main" class="bare" tabindex="-1">${main}</div>` : html`<main id="main"${isWide ? html` class="wide"` : undefined} tabindex="-1">${main}</main>`}
<footer class="site"><div class="bar">
<p>Certification Data API${house.name === undefined ? undefined : html` of ${house.name}`}. Every answer is read-only.</p>
<ul>${houseLinks(house)}<li><a href="/openapi.json">OpenAPI document</a></li><li><a href="/problems">Errors</a></li>${footer.map(({ path: href, label }) => html`<li><a href="${href}">${label}</a></li>`)}<li><a href="/llms.txt">llms.txt</a></li><li><a href="/.well-known/security.txt">security.txt</a></li></ul>
</div></footer>
</body>
</html>
`.html
}
