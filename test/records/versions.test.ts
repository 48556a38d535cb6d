import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { customVersion } from '../../app/custom/version.ts'
import { historyVersion } from '../../app/records/history/history.ts'
import type { Resource } from '../../app/records/resources/define.ts'
import { defineResource, joinVersions } from '../../app/records/resources/define.ts'
import { resources } from '../../app/records/resources/index.ts'
import { type Computing, computingOf, computingOfCustom, computingOfHistory } from './computing.ts'

/**
 * The files in `versions/` contain the statements, functions and schemas of each version. After a change, raise the
 * version and run `WRITE_VERSIONS=1 npm test -- -j1 test/records/versions.test.ts`.
 */

const all = Object.values(resources)
const isWriting = process.env.WRITE_VERSIONS === '1'
const locate = (name: string) => join(import.meta.dirname, 'versions', `${name}.txt`)

const format = (version: string, computing: Computing): string =>
  [`version ${version}`, ...[...computing].map(([title, text]) => `== ${title}\n${text}`)].join('\n\n')

const parse = (golden: string): { version: string; computing: Computing } => {
  const [head = '', ...parts] = golden.trimEnd().split(/\n\n(?=== )/)
  const computing = parts.map((part): [string, string] => {
    const end = part.indexOf('\n')
    return [part.slice(3, end), part.slice(end + 1)]
  })
  return { version: head.replace('version ', ''), computing: new Map(computing) }
}

/** The titles of the parts that differ. */
const compare = (one: Computing, other: Computing): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((title) => one.get(title) !== other.get(title))

const judge = (golden: string, version: string, computing: Computing): string[] => {
  const old = parse(golden)
  const changed = compare(old.computing, computing)
  return changed.length > 0 && old.version === version ? changed : []
}

const check = (test: Test, name: string, file: string, version: string, computing: Computing): void => {
  const path = locate(name)
  const golden = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  if (golden !== undefined) {
    const changed = judge(golden, version, computing)
    test.same(changed, [], `${name} computes its answers in another way: raise its version in ${file}`)
    if (changed.length > 0) return
  }
  const text = `${format(version, computing)}\n`
  if (isWriting) writeFileSync(path, text)
  else test.equal(golden, text, `${name}: WRITE_VERSIONS=1 npm test -- -j1 test/records/versions.test.ts`)
}

for (const resource of all)
  t.test(`an answer of ${resource.name} that is computed in another way has another version`, async (t) => {
    const file = `app/records/resources/${resource.name}.ts`
    check(t, resource.name, file, String(resource.version), computingOf(resource))
  })

t.test('a history that is computed in another way has another version', async (t) => {
  const own = historyVersion([])
  check(t, 'history', 'app/records/history/history.ts', own, computingOfHistory())
})

t.test('a custom answer that is computed in another way has another version', async (t) => {
  const [own = ''] = customVersion.split('.')
  check(t, 'custom', 'app/custom/version.ts', own, computingOfCustom())
})

const raise = (resource: Resource): Resource => ({ ...resource, version: resource.version + 1 })

t.test('the keys of histories and custom endpoints contain the versions of the resources', async (t) => {
  const { products, lab } = resources
  t.not(historyVersion([products]), historyVersion([raise(products)]))
  t.not(historyVersion([products, raise(lab)]), historyVersion([raise(products), lab]))
  t.match(customVersion, joinVersions(all))
})

t.test('the golden file finds a changed statement, condition, function and schema', async (t) => {
  const { certificates } = resources
  const computing = computingOf(certificates)
  const golden = format('1', computing)
  const mend = (computed: object) =>
    computingOf(defineResource({ ...certificates, computed: { ...certificates.computed, ...computed } }))
  const select = 'r.valid_until - :day + 1'
  t.match(judge(golden, '1', mend({ days_remaining: { select } })), [
    '?count=exact&include=product,project,country',
  ])
  const { expiring } = certificates.computed
  const where = { true: 'true', false: 'false' }
  t.same(judge(golden, '1', mend({ expiring: { ...expiring, where } })), [
    'expiring[eq]',
    'expiring[ne]',
    'expiring[in]',
    'expiring[nin]',
  ])
  for (const title of ['function find_customer', 'schema products']) {
    t.ok(computing.has(title), title)
    t.same(judge(golden, '1', new Map([...computing, [title, 'another']])), [title])
  }
  t.same(judge(golden, '2', mend({ days_remaining: { select } })), [], 'with another version')
})
