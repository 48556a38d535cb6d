import type { Assets } from './assets.ts'
import { type Html, html } from './escape.ts'

export type PageContent = Readonly<{
  /** Of the window; the site's name is added. */
  title: string
  description: string
  /** Its own address, which the navigation marks. */
  path: string
  main: Html
  /** Names of its own style sheets and its module in `browser/`. */
  styles?: readonly string[]
  script?: string
  /** Wider than prose. */
  isWide?: boolean
  /** The content brings a design and a `main` of its own. */
  isBare?: boolean
}>

const navigation = [
  ['/docs', 'Reference'],
  ['/docs/guides', 'Guides'],
  ['/demo', 'Demo'],
  ['/status', 'Status'],
  ['/access', 'Get access'],
] as const

const linksTo = (path: string) =>
  navigation.map(([href, name]) =>
    href === path
      ? html`<li><a href="${href}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${href}">${name}</a></li>`,
  )

/** Returns the whole page with head, navigation, content and foot. Its head names everything that it loads. */
export const layOut = (assets: Assets, page: PageContent): string => {
  const { title, description, path, main, styles = [], script, isWide, isBare } = page
  // A page that brings a design of its own has only the frame of ours.
  const own = isBare ? ['frame.css'] : ['frame.css', 'style.css']
  const sheets = [...own, ...styles].map(
    (name) => html`<link rel="stylesheet" href="${assets.get(name).url}">`,
  )
  const modules = script === undefined ? [] : assets.imports(script)
  const preloads = modules.map((name) => html`<link rel="modulepreload" href="${assets.get(name).url}">`)
  const scripts =
    script === undefined ? [] : [html`<script type="module" src="${assets.get(script).url}"></script>`]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Certification Data API</title>
<meta name="description" content="${description}">
<link rel="icon" href="${assets.get('icon.svg').url}" type="image/svg+xml">
${sheets}${preloads}${scripts}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="site"><div class="bar">
<a class="brand" href="/"${path === '/' ? html` aria-current="page"` : undefined}><img src="${assets.get('icon.svg').url}" alt="" width="22" height="22">Certification Data API</a>
<nav aria-label="Site"><ul>${linksTo(path)}</ul></nav>
</div></header>
${isBare ? html`<div id="main" class="bare" tabindex="-1">${main}</div>` : html`<main id="main"${isWide ? html` class="wide"` : undefined} tabindex="-1">${main}</main>`}
<footer class="site"><div class="bar">
<p>Read-only access to certificates, products, projects, countries, test reports and approvals.</p>
<ul><li><a href="/openapi.json">OpenAPI document</a></li><li><a href="/status.json">Status as JSON</a></li><li><a href="/.well-known/security.txt">security.txt</a></li></ul>
</div></footer>
</body>
</html>
`.html
}
