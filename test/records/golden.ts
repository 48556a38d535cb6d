import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Test } from 'tap'
import type { Computing } from './computing.ts'

/**
 * The files in `versions/` contain the statements, functions and schemas of each version. After a change, raise the
 * version and run `WRITE_VERSIONS=1 npm test -- -j1` with the test.
 */

const root = join(import.meta.dirname, '../..')
const isWriting = process.env.WRITE_VERSIONS === '1'
export const format = (version: string, computing: Computing): string =>
  [`version ${version}`, ...[...computing].map(([title, text]) => `== ${title}\n${text}`)].join('\n\n')

const parse = (golden: string): { version: string; computing: Computing } => {
  const [head = '', ...parts] = golden.trimEnd().split(/\n\n(?=== )/)
  const computing = parts.map((part): [string, string] => {
    const end = part.indexOf('\n')
    return [part.slice(3, end), part.slice(end + 1)]
  })
  return { version: head.replace('version ', ''), computing: new Map(computing) }
}

/** The titles of the old parts that differ. A new part, such as a new resource in histories, changes no old answer. */
const compare = (old: Computing, computing: Computing): string[] =>
  [...old.keys()].filter((title) => old.get(title) !== computing.get(title))

/** The titles of the parts that differ from the golden file, although the version is the same. */
export const judge = (golden: string, version: string, computing: Computing): string[] => {
  const old = parse(golden)
  const changed = compare(old.computing, computing)
  return changed.length > 0 && old.version === version ? changed : []
}

/**
 * Compares statements with the golden file `versions/<name>.txt` in the folder of the test `testFile`. `file` has the
 * version.
 */
export const checkVersion = (
  test: Test,
  testFile: string,
  { name, file, version, computing }: { name: string; file: string; version: string; computing: Computing },
): void => {
  const path = join(dirname(testFile), 'versions', `${name}.txt`)
  const golden = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  if (golden !== undefined) {
    const changed = judge(golden, version, computing)
    test.same(changed, [], `${name} computes its answers in another way: raise its version in ${file}`)
    if (changed.length > 0) return
  }
  const text = `${format(version, computing)}\n`
  if (isWriting) writeFileSync(path, text)
  else test.equal(golden, text, `${name}: WRITE_VERSIONS=1 npm test -- -j1 ${relative(root, testFile)}`)
}
