import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
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

const folder = join(import.meta.dirname, 'browser')
/** The typeface: a variable font under the SIL Open Font License, see `typeface-license.txt`. */
const typeface = 'geist.woff2'
const typefaceUrl = import.meta.resolve('@fontsource-variable/geist/files/geist-latin-wght-normal.woff2')

const read = (name: string): string | Buffer =>
  name === typeface ? readFileSync(new URL(typefaceUrl)) : readFileSync(join(folder, name), 'utf8')

const importPattern = /(from\s*['"]|url\()\.\/([\w-]+\.(?:js|woff2))(['")])/g

/** Reads `browser/` and the typeface. In modules and style sheets, references to other assets become URLs. */
export const readAssets = (): Assets => {
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
    const source = read(name)
    const content = typeof source === 'string' ? source.replace(importPattern, refer) : source
    imported.set(name, [...new Set(names)])
    const [stem = '', extension] = [name.slice(0, -extname(name).length), extname(name)]
    const digest = createHash('sha256').update(content).digest('base64url').slice(0, 10)
    const type = types[extension] as string
    const url = `/assets/${stem}.${digest}${extension}`
    const asset = { url, type, file: createRepresentation(type, content) }
    assets.set(name, asset)
    return asset
  }
  for (const name of readdirSync(folder)) if (types[extname(name)]) make(name)
  return {
    get(name) {
      const asset = assets.get(name)
      if (!asset) throw new Error(`there is no ${name} in ${folder}`)
      return asset
    },
    imports: (name) => imported.get(name) ?? [],
    all: [...assets.values()],
  }
}
