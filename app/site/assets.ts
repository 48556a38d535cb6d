import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { createRepresentation } from '../cache/entry.ts'
import type { Representation } from '../http/encodings.ts'

/** A file that browsers may cache forever: its URL contains a hash of its bytes. */
export type Asset = Readonly<{ url: string; type: string; file: Representation }>

export type Assets = {
  /** Returns an asset by name, such as `style.css`. Throws if it does not exist. */
  get(name: string): Asset
  /** Names of all modules that a module imports, also indirectly. Pages preload them in one round trip. */
  imports(name: string): readonly string[]
  all: readonly Asset[]
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const folder = join(import.meta.dirname, 'browser')
/** Modules import each other from the same folder. */
const importPattern = /(from\s*['"])\.\/([\w-]+\.js)(['"])/g

/** Reads `browser/` once. Rewrites a module's imports to the URLs of the imported assets. */
export const readAssets = (): Assets => {
  const assets = new Map<string, Asset>()
  const imported = new Map<string, string[]>()
  const make = (name: string): Asset => {
    const known = assets.get(name)
    if (known) return known
    const names: string[] = []
    const text = readFileSync(join(folder, name), 'utf8').replace(
      importPattern,
      (_all, before: string, other: string, after: string) => {
        const { url } = make(other)
        names.push(other, ...(imported.get(other) ?? []))
        return before + url + after
      },
    )
    imported.set(name, [...new Set(names)])
    const [stem = '', extension] = [name.slice(0, -extname(name).length), extname(name)]
    const digest = createHash('sha256').update(text).digest('base64url').slice(0, 10)
    const type = types[extension] as string
    const url = `/assets/${stem}.${digest}${extension}`
    const asset = { url, type, file: createRepresentation(type, text) }
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
