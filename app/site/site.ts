import { readFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createRepresentation } from '../cache/entry.ts'
import type { Representation } from '../http/encodings.ts'
import { jsonType } from '../http/formats.ts'
import { type Assets, readAssets } from './assets.ts'
import { docsPage } from './docs-page.ts'
import { guidePage, guidesPage } from './guide-pages.ts'
import { guidesPath, readGuides } from './guides.ts'
import { createHome, type Home } from './home.ts'
import { kernelPages, layOut, type PageContent, previewPath } from './layout.ts'
import { llmsTxt } from './llms-txt.ts'
import { missingPage } from './missing-page.ts'
import { once } from './once.ts'
import { findContactPage, listFooterPages, listPages, type PageEntry, type SiteOptions } from './options.ts'
import { problemPages } from './problem-pages.ts'
import type { DescribedRoute } from './reference-link.ts'
import { searchIndex } from './search-index.ts'

export const htmlType = 'text/html; charset=utf-8'

export type SiteFile = Readonly<{ type: string; file: Representation }>

export type Site = {
  assets: Assets
  /** Static files by path. Each is created when it is first requested. */
  files: ReadonlyMap<string, () => SiteFile>
  missing: SiteFile
  searchFile(routes: readonly DescribedRoute[]): Promise<SiteFile>
  /** Creates a page that is the same for all clients for a while. It has an ETag. */
  toPage(content: PageContent): SiteFile
  /** Creates a page for one request only. It has no ETag. */
  layOut(content: PageContent): SiteFile
  /** Where people without an account write to the operator. `undefined` if no feature has such a page. */
  contactPage: PageEntry | undefined
  home: Home<SiteFile>
  statusPath: string | undefined
  /** Documents of features about the service. */
  metadataPaths: readonly string[]
}

const toFile = (type: string, content: string | Buffer): SiteFile => ({
  type,
  file: createRepresentation(type, content),
})

const readImage = (name: string) => readFileSync(new URL(`images/${name}`, import.meta.url))

const robotsTxt = 'User-agent: *\nDisallow: /v1/\n'

/** By folders. Tests build the service many times with the same features. */
const assetsByFolders = new Map<string, Assets>()

const getAssets = (folders: readonly URL[]): Assets => {
  const key = folders.join()
  const known = assetsByFolders.get(key)
  if (known) return known
  const assets = readAssets(folders)
  assetsByFolders.set(key, assets)
  return assets
}

/** Reads guides and assets. Pages are rendered later, when first requested, so that the service starts sooner. */
export const createSite = (options: SiteOptions): Site => {
  const { publicUrl, demoToken, house, features } = options
  const assets = getAssets(features.flatMap(({ browserFolder = [] }) => browserFolder))
  const groups = readGuides(options)
  const guides = groups.flatMap((group) => group.guides)
  const pages = [docsPage(demoToken), guidesPage(groups), ...problemPages(publicUrl)]
  const frame = {
    assets,
    navigation: [...kernelPages, ...listPages(features)],
    footer: listFooterPages(features),
    publicUrl,
    house,
  }
  const toPage = (content: PageContent) => toFile(htmlType, layOut(content, frame))
  const untagged = (content: PageContent): SiteFile => {
    const body = Buffer.from(layOut(content, frame))
    return { type: htmlType, file: { body, etag: '', encoded: new Map() } }
  }
  const contactPage = findContactPage(features)
  const hasGuide = (name: string) => guides.some(({ path }) => path === `${guidesPath}/${name}`)
  const files: [path: string, create: () => SiteFile][] = [
    ['/llms.txt', () => toFile('text/plain; charset=utf-8', llmsTxt(groups, publicUrl))],
    ['/robots.txt', () => toFile('text/plain; charset=utf-8', robotsTxt)],
    ['/favicon.ico', () => toFile('image/x-icon', readImage('favicon.ico'))],
    [previewPath, () => toFile('image/png', readImage('preview.png'))],
  ]
  for (const content of pages) files.push([content.path, () => toPage(content)])
  for (const { path, markdown } of guides)
    files.push([`${path}.md`, () => toFile('text/markdown; charset=utf-8', markdown)])
  for (const group of groups)
    for (const [index, guide] of group.guides.entries())
      files.push([guide.path, () => toPage(guidePage(guide, index, group, groups))])
  return {
    assets,
    files: new Map(files.map(([path, create]) => [path, once(create)])),
    toPage,
    missing: untagged(missingPage(listPages(features))),
    searchFile: async (routes) => {
      for (const { render } of guides) {
        render()
        // Rendering all guides in one turn would delay other requests.
        await nextTurn()
      }
      const { type, file } = toFile(jsonType, JSON.stringify(searchIndex(groups, routes)))
      return { type, file: { ...file, isLasting: true } }
    },
    layOut: untagged,
    contactPage,
    home: createHome({ publicUrl, demoToken, contactPage, hasGuide, toPage }),
    statusPath: features.find(({ statusPath }) => statusPath !== undefined)?.statusPath,
    metadataPaths: features.flatMap(({ metadataPaths = [] }) => metadataPaths),
  }
}
