import { createRepresentation } from '../cache/representation.ts'
import type { Representation } from '../http/encodings.ts'
import { type Assets, readAssets } from './assets.ts'
import { demoPage } from './demo-page.ts'
import { docsPage } from './docs-page.ts'
import { guidePages } from './guides.ts'
import { homePage } from './home.ts'
import { layOut, type PageContent } from './layout.ts'
import { problemPages } from './problem-pages.ts'
import { statusPage } from './status-page.ts'

export const htmlType = 'text/html; charset=utf-8'

export type SiteOptions = {
  /** Origin that clients see. */
  publicUrl: string
  /** The published token. */
  demoToken: string
}

export type Site = {
  assets: Assets
  /** Pages that are the same for everyone, by path. */
  pages: ReadonlyMap<string, Representation>
  /** Puts a page together that is not. */
  layOut(content: PageContent): string
}

let assets: Assets | undefined

/** Everything that does not change while the service runs, read and put together once. */
export const createSite = ({ publicUrl, demoToken }: SiteOptions): Site => {
  assets ??= readAssets()
  const known = assets
  const { guides, pages } = guidePages()
  const contents = [
    homePage(publicUrl, demoToken),
    statusPage(),
    demoPage(demoToken),
    docsPage(demoToken, guides),
    ...pages,
    ...problemPages(publicUrl),
  ]
  const toEntry = (content: PageContent) =>
    [content.path, createRepresentation(htmlType, layOut(known, content))] as const
  return {
    assets: known,
    pages: new Map(contents.map(toEntry)),
    layOut: (content) => layOut(known, content),
  }
}
