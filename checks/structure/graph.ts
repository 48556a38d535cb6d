import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** An import of one file by another. `isType`: it does not exist at run time. */
export type Import = Readonly<{ from: string; to: string; isType: boolean }>

export type SourceFile = Readonly<{ path: string; text: string; lines: number }>

const importPattern =
  /(?:^|\n)\s*(?:import|export)(\s+type)?\b(?:([^'";]*?)from)?\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g

const root = join(import.meta.dirname, '../..')

/** Reads the TypeScript and JavaScript files in these folders of the project. Leaves out code of pages by default. */
export const readSources = (folders: readonly string[], hasPages = false): SourceFile[] =>
  globSync(`{${folders.join(',')}}/**/*.{ts,js}`, { cwd: root })
    .filter((path) => !/node_modules|\/dist\/|\.d\.ts$/.test(path))
    .filter((path) => hasPages || !path.includes('/browser/'))
    .sort()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      return { path, text, lines: text.split('\n').length - 1 }
    })

const importsTypesOnly = (names: string): boolean => {
  const [, inside] = /^\s*\{([^}]*)\}\s*$/.exec(names) ?? []
  return inside?.split(',').every((name) => /^\s*(type\s|$)/.test(name)) ?? false
}

/** Lists the imports of a file. Paths start at the project's root, packages keep their name. */
export const listImports = ({ path, text }: SourceFile): Import[] =>
  [...text.matchAll(importPattern)].map(([, type, names = '', target, dynamic]) => {
    const to = (target ?? dynamic) as string
    return {
      from: path,
      to: to.startsWith('.') ? normalize(join(dirname(path), to)) : to,
      isType: type !== undefined || importsTypesOnly(names),
    }
  })
