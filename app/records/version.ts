import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { parseQuery } from './query/parse.ts'
import { planQuery } from './query/plan.ts'
import type { PreparedQuery } from './query/prepare.ts'
import type { Resource } from './resources/define.ts'
import { resources } from './resources/index.ts'
import { compile } from './sql/compile.ts'
import { pageStatement } from './sql/statement.ts'

// See docs/decisions/0079-cache-keys-hash-the-code.md.
export type Computing = {
  functions: ReadonlyMap<string, string>
  /** All sources of this room but the resources, which `computeVersion` hashes one by one. */
  records: string
  custom: string
}

const rooms = join(import.meta.dirname, '..')
const migrations = join(rooms, 'db/migrations')
const readSources = (room: string): string =>
  readdirSync(join(rooms, room), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('resources'))
    .sort()
    .map((file) => readFileSync(join(rooms, room, file), 'utf8'))
    .join()

const definition = /create (?:or replace )?function (\w+)\(.*?\$\$.*?\$\$/gs

// A changed comment changes the hash too: a cold cache is cheaper than a wrong answer.
const readComputing = (): Computing => {
  const functions = new Map<string, string>()
  for (const file of readdirSync(migrations, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.(sql|ts)$/.test(file)) continue
    const migration = readFileSync(join(migrations, file), 'utf8')
    for (const [text, name] of migration.matchAll(definition)) functions.set(name as string, text)
  }
  return { functions, records: readSources('records'), custom: readSources('custom') }
}

let shipped: Computing | undefined

/** Reads the code of this process, once. */
export const shippedComputing = (): Computing => {
  shipped ??= readComputing()
  return shipped
}

/** Statements with every field, include and sort of a resource. */
const listStatements = (resource: Resource): string[] => {
  const includes = Object.keys(resource.includes).join()
  const everything = `count=exact${includes === '' ? '' : `&include=${includes}`}`
  const search = resource.search.length > 0 ? ['q=words'] : []
  return [everything, ...search, ...resource.sorts.map((name) => `sort=${name}`)].map((query) => {
    const outcome = parseQuery(resource, 'page', query)
    if (!('query' in outcome)) throw new Error(`${resource.name}?${query} is no query`)
    const plan = planQuery(outcome.query, { customerId: '', today: '2000-01-01' })
    return compile(pageStatement(plan)).text
  })
}

const calledBy = (texts: readonly string[], functions: Computing['functions']): [string, string][] => {
  const called = new Map<string, string>()
  for (let unread = texts; unread.length > 0; ) {
    const found = [...functions].filter(
      ([name]) => !called.has(name) && unread.some((text) => text.includes(`${name}(`)),
    )
    for (const [name, text] of found) called.set(name, text)
    unread = found.map(([, text]) => text)
  }
  return [...called].sort()
}

/** Returns 72 bits of the SHA-256 hash of `parts` as JSON, in base64url. */
export const digest = (parts: unknown): string =>
  hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 12)

/** Hashes the code that computes a resource's answers. Releases with the same hash share entries in Redis. */
export const computeVersion = (resource: Resource, { functions, records } = shippedComputing()): string => {
  const { filters, computed, search } = resource
  const statements = listStatements(resource)
  const called = calledBy(statements, functions)
  const shown = [resource, ...Object.values(resource.includes).map((include) => resources[include.resource])]
  const schemas = shown.map(({ schema }) => z.toJSONSchema(schema))
  return digest([statements, filters, computed, search, called, schemas, records])
}

const versions = new Map<Resource, string>()

/** Returns `computeVersion` of the shipped code, computed once in each process. */
export const getVersion = (resource: Resource): string => {
  const version = versions.get(resource) ?? computeVersion(resource)
  versions.set(resource, version)
  return version
}

let ofCustom: string | undefined

/** Returns one version for all custom endpoints, because each may read every resource. Computed once. */
export const customVersion = (): string => {
  ofCustom ??= digest([Object.values(resources).map(getVersion), shippedComputing().custom])
  return ofCustom
}

/** Returns the cache key of an answer, without the customer. */
export const cacheKey = (
  prepared: PreparedQuery,
  itemId: string | undefined,
  moment: Readonly<{ today: string }>,
): string => {
  const { query, canonical, dependsOnDay } = prepared
  const path = itemId === undefined ? query.resource.name : `${query.resource.name}/${itemId}`
  const day = dependsOnDay ? moment.today : ''
  return `${getVersion(query.resource)} ${path} ${day} ${canonical}`
}
