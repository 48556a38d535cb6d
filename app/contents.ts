import type { variables } from './config/variables.ts'
import type { ErrorCode } from './errors.ts'

export type Audience = 'integrators' | 'operators'

/** A file of `docs/`, without its extension. A lower `rank` is read earlier. */
export type GuideEntry = Readonly<{ name: string; audience: Audience; rank: number }>

/** A page. `label` and `rank`: its place in the navigation. */
export type PageEntry = Readonly<{
  path: string
  label: string
  rank: number
  /** People without an account write to the operator on this page. At most one page has it. */
  isContact?: true
}>

/** The columns of a table with a customer. The export contains `exported`. `isDerived`: triggers fill the table. */
export type KnownTable = Readonly<{
  exported: readonly string[]
  /** Hashes that prove a key or an assertion. Only an export with keys contains them. */
  proofs?: readonly string[]
  /** Transaction ids, and values derived from others. */
  internal: readonly string[]
  isDerived?: true
}>

/** A JSON file of promises that `certdata verify` checks. `section`: of the contract. */
export type PromiseFile = Readonly<{ section: number; file: URL }>

/** The lines of a feature in the central tables. Its removal removes them. */
export type CentralLines = Readonly<{
  variables?: readonly (keyof typeof variables)[]
  errors?: readonly ErrorCode[]
  scopes?: readonly string[]
}>

/** The data that a feature adds to the kernel. All parts are optional. */
export type Contents = Readonly<{
  guides?: readonly GuideEntry[]
  pages?: readonly PageEntry[]
  /** Scripts and style sheets for browsers. The names of files are unique in the whole service. */
  browserFolder?: URL
  /** By name: every table with a column `customer_id`. An export and an import of a customer contain it. */
  customerTables?: Readonly<Record<string, KnownTable>>
  promises?: PromiseFile
  central?: CentralLines
}>

/** The contents of all features. */
export type AllContents = Readonly<{
  guides: readonly GuideEntry[]
  pages: readonly PageEntry[]
  browserFolders: readonly URL[]
  customerTables: Readonly<Record<string, KnownTable>>
  promises: readonly PromiseFile[]
}>

const isDefined = <T>(value: T | undefined): value is T => value !== undefined

/** Merges the contents, in the order of the features. */
export const mergeContents = (features: readonly Contents[]): AllContents => ({
  guides: features.flatMap(({ guides = [] }) => guides),
  pages: features.flatMap(({ pages = [] }) => pages),
  browserFolders: features.map(({ browserFolder }) => browserFolder).filter(isDefined),
  customerTables: Object.assign({}, ...features.map(({ customerTables }) => customerTables)),
  promises: features.map(({ promises }) => promises).filter(isDefined),
})
