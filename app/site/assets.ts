import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { createRepresentation } from '../cache/entry.ts'
import type { Representation } from '../http/encodings.ts'

/** Browsers may cache a file forever, because its URL contains a hash of its bytes. */
type Asset = Readonly<{ url: string; type: string; file: Representation }>

export type Assets = {
  /** Throws if no file has this name, such as `style.css`. */
  get(name: string): Asset
  /** Names of all modules that a module imports, directly or not, so that a page can preload them. */
  imports(name: string): readonly string[]
  all: readonly Asset[]
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const kernelFolder = new URL('./browser/', import.meta.url)
/** The typeface: a variable font under the SIL Open Font License, see `typeface-license.txt`. */
const typeface = 'geist.woff2'
const typefaceUrl = import.meta.resolve('@fontsource-variable/geist/files/geist-latin-wght-normal.woff2')

/** A relative address. The name of a file is unique, so its folder does not matter. */
const importPattern = /(from\s*['"]|url\()\.{1,2}\/(?:[\w.-]+\/)*([\w-]+\.(?:js|woff2))(['")])/g

const listFiles = (folders: readonly URL[]): ReadonlyMap<string, URL> => {
  const files = new Map([[typeface, new URL(typefaceUrl)]])
  for (const folder of folders) {
    for (const name of readdirSync(folder)) {
      if (!types[extname(name)]) continue
      if (files.has(name)) throw new Error(`two folders of assets have a file ${name}`)
      files.set(name, new URL(name, folder))
    }
  }
  return files
}

/**
 * Reads `browser/`, the folders of features, and the typeface. In modules and style sheets, references to other assets
 * become URLs. Throws if two files have the same name.
 */
export const readAssets = (folders: readonly URL[]): Assets => {
  const files = listFiles([kernelFolder, ...folders])
  const assets = new Map<string, Asset>()
  const imported = new Map<string, string[]>()
  const make = (name: string): Asset => {
    const known = assets.get(name)
    if (known) return known
    const names: string[] = []
    const refer = (_all: string, before: string, other: string, after: string) => {
      const { url } = make(other)
      names.push(other, ...(imported.get(other) ?? []))
      return before + url + after
    }
    const file = files.get(name)
    if (!file) throw new Error(`there is no asset ${name}`)
    const isText = name !== typeface
    const content = isText ? readFileSync(file, 'utf8').replace(importPattern, refer) : readFileSync(file)
    imported.set(name, [...new Set(names)])
    const [stem = '', extension] = [name.slice(0, -extname(name).length), extname(name)]
    const digest = createHash('sha256').update(content).digest('base64url').slice(0, 10)
    const type = types[extension] as string
    const url = `/assets/${stem}.${digest}${extension}`
    const asset = { url, type, file: createRepresentation(type, content) }
    assets.set(name, asset)
    return asset
  }
  for (const name of files.keys()) make(name)
  return {
    get(name) {
      const asset = assets.get(name)
      if (!asset) throw new Error(`there is no asset ${name}`)
      return asset
    },
    imports: (name) => imported.get(name) ?? [],
    all: [...assets.values()],
  }
}
