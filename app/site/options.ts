import type { House } from '../config/house.ts'
import type { AllContents } from '../contents.ts'

/** `publicUrl` has no slash at its end. */
export type SiteOptions = Readonly<{
  publicUrl: string
  demoToken: string
  house: House
  /** Guides, pages and assets of features, in addition to those of the kernel. */
  contents: Pick<AllContents, 'guides' | 'pages' | 'browserFolders'>
}>
