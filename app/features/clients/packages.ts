import { existsSync, readFileSync } from 'node:fs'

/** A package that the service sends. The hashes are those of its bytes. */
export type ClientPackage = Readonly<{
  language: 'typescript' | 'python'
  /** Contains the version, so the address of a package always has the same bytes. */
  file: string
  version: string
  sizeBytes: number
  /** Hexadecimal. */
  sha256: string
  /** As npm writes it into a lockfile (Subresource Integrity). */
  integrity: string
}>

/** `npm run build:clients` writes the packages here. */
export const packagesFolder: URL = new URL('./packages/', import.meta.url)

/** Returns the packages of a folder. `undefined` if they were not built. */
export const findPackages = (folder: URL): readonly ClientPackage[] | undefined => {
  const list = new URL('packages.json', folder)
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : undefined
}
