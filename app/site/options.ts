import type { House } from '../config/house.ts'

export type Audience = 'integrators' | 'operators'

/** A file of `docs/`, without its extension. */
export type GuideEntry = Readonly<{ name: string; audience: Audience }>

/** A page of the navigation. */
export type PageEntry = Readonly<{
  path: string
  label: string
  /** The page for unknown addresses links this page, with this text. Optional: other pages are not linked there. */
  contents?: string
}>

/** The parts of a feature that the pages read. They follow the parts of the kernel. */
export type SiteFeature = Readonly<{
  guides?: readonly GuideEntry[]
  pages?: readonly PageEntry[]
  /** Addresses in the footer only. */
  footerPages?: readonly PageEntry[]
  /** One of its pages: people without an account write to the operator there. Only one feature may have it. */
  contactPath?: string
  /** The API catalog names this page (`status`, RFC 8631). Only one feature may have it. */
  statusPath?: string
  /** Documents about the service, as JSON. The API catalog names them (`service-meta`, RFC 8631). */
  metadataPaths?: readonly string[]
  /**
   * Pages that show files of the repository, by file. Guides link to the page instead: `#part` of a file is
   * `#<anchor>-part` of a page with an anchor.
   */
  shownFiles?: Readonly<Record<string, string>>
  /** A folder with scripts and style sheets. The names of files are unique in the whole service. */
  browserFolder?: URL
}>

/** `publicUrl` has no slash at its end. */
export type SiteOptions = Readonly<{
  publicUrl: string
  demoToken: string
  house: House
  features: readonly SiteFeature[]
}>

/** Lists the pages of features. */
export const listPages = (features: readonly SiteFeature[]): readonly PageEntry[] =>
  features.flatMap(({ pages = [] }) => pages)

/** Lists the links of features in the footer. */
export const listFooterPages = (features: readonly SiteFeature[]): readonly PageEntry[] =>
  features.flatMap(({ footerPages = [] }) => footerPages)

/** Returns the pages of features that show files of the repository, by file. */
export const listShownFiles = (features: readonly SiteFeature[]): Readonly<Record<string, string>> =>
  Object.assign({}, ...features.map(({ shownFiles = {} }) => shownFiles))

/** Returns `undefined` if no feature has a page for contact. Throws if several have one, or if it is no page. */
export const findContactPage = (features: readonly SiteFeature[]): PageEntry | undefined => {
  const paths = features.flatMap(({ contactPath = [] }) => contactPath)
  const [page, ...others] = paths.map((path) => listPages(features).find((each) => each.path === path))
  if (others.length > 0) throw new Error(`more than one page is for contact: ${paths.join(', ')}`)
  if (paths.length > 0 && !page) throw new Error(`${paths} is for contact, but it is no page of a feature`)
  return page
}
