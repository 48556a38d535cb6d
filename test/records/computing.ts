import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { compile } from '../../app/db/statement-cache.ts'
import { parsePairs } from '../../app/http/pairs.ts'
import { getOperators } from '../../app/records/query/filters.ts'
import { parseQuery } from '../../app/records/query/parse.ts'
import { planQuery } from '../../app/records/query/plan.ts'
import type { Field, Resource } from '../../app/records/resources/define.ts'
import { resources } from '../../app/records/resources/index.ts'
import type { Sql } from '../../app/records/sql/column.ts'
import { filterConditions, orderBy } from '../../app/records/sql/conditions.ts'
import { pageStatement } from '../../app/records/sql/statement.ts'

/** Statements, conditions, the SQL functions that they call, and schemas, by title. */
export type Computing = ReadonlyMap<string, string>

const root = join(import.meta.dirname, '../..')
export const moment = { customerId: 'acme', today: '2026-01-01' }

export const show = (statement: Sql): string => {
  const { text, values } = compile(statement)
  return `${text.trim()}\n${JSON.stringify(values)}`
}

const plan = (resource: Resource, query: string) => {
  const outcome = parseQuery(resource, 'page', parsePairs(query))
  if (!('query' in outcome)) throw new Error(`${resource.name}?${query}: ${JSON.stringify(outcome.faults)}`)
  return planQuery(outcome.query, moment)
}

const examples = {
  text: 'DE',
  date: '2026-01-01',
  instant: '2026-01-01T00:00:00Z',
  integer: '1',
  boolean: 'true',
}

const exampleOf = ({ name, kind, values = [], computed }: Field): string =>
  name === 'alpha3'
    ? 'DEU'
    : (Object.keys(computed?.where ?? {})[0] ?? values[0] ?? examples[kind as keyof typeof examples])

const listConditions = (resource: Resource): [string, string][] =>
  [...resource.fields.values()].flatMap((field) =>
    getOperators(field).map((operator): [string, string] => {
      const title = `${field.name}[${operator}]`
      const value = operator === 'null' ? 'true' : exampleOf(field)
      const [, ...conditions] = filterConditions(plan(resource, `${title}=${encodeURIComponent(value)}`))
      return [title, conditions.map(show).join('\n')]
    }),
  )

const listPages = (resource: Resource): [string, string][] => {
  const includes = Object.keys(resource.includes)
  const queries = [
    ['count=exact', ...(includes.length > 0 ? [`include=${includes}`] : [])].join('&'),
    ...(resource.search.length > 0 ? ['q=word'] : []),
  ]
  return queries.map((query) => [`?${query}`, show(pageStatement(plan(resource, query)))])
}

const listOrders = (resource: Resource): [string, string][] =>
  resource.sorts.map((name) => [`?sort=${name}`, show(orderBy(plan(resource, `sort=${name}`)))])

const showSchema = (schema: z.ZodObject): string => {
  const { properties = {}, ...rest } = z.toJSONSchema(schema)
  const members = Object.entries(properties).map(([name, member]) => `${name}: ${JSON.stringify(member)}`)
  return [...members, JSON.stringify(rest)].join('\n')
}

const definition = /^(CREATE OR REPLACE FUNCTION public\.(\w+)\([\s\S]*?)\n\n/gm

const functions = new Map(
  [...readFileSync(join(root, 'app/db/schema.sql'), 'utf8').matchAll(definition)].map(([, text, name]) => [
    name as string,
    text as string,
  ]),
)

/** Functions that the texts call, directly or through another function. */
const listCalled = (texts: readonly string[]): [string, string][] => {
  const called = new Map<string, string>()
  for (let unread = texts; unread.length > 0; ) {
    const found = [...functions].filter(
      ([name]) => !called.has(name) && unread.some((text) => text.includes(`${name}(`)),
    )
    for (const [name, text] of found) called.set(name, text)
    unread = found.map(([, text]) => text)
  }
  return [...called].sort().map(([name, text]) => [`function ${name}`, text])
}

/** Adds the SQL functions that the statements call. */
export const withFunctions = (parts: readonly [string, string][]): Computing =>
  new Map([...parts, ...listCalled(parts.map(([, text]) => text))])

export const computingOf = (resource: Resource): Computing => {
  const shown = [resource, ...Object.values(resource.includes).map((include) => resources[include.resource])]
  const schemas = shown.map(({ name, schema }): [string, string] => [`schema ${name}`, showSchema(schema)])
  return withFunctions([
    ...listPages(resource),
    ...listOrders(resource),
    ...listConditions(resource),
    ...schemas,
  ])
}
