import { type Check, Skipped, type World } from './check.ts'
import type { PublishedResource } from './resources.ts'
import { readJson, type ServiceAnswer } from './service.ts'

type Row = Readonly<Record<string, unknown>> & Readonly<{ id: string }>

const longestValue = 100

type Query = readonly [operator: string, value: string, finds: (value: unknown) => boolean]

/** Escapes an element of `in` or `nin`. The other operators here do not split at commas. */
const escapeCommas = (value: string) => value.replace(/[\\,]/g, '\\$&')
const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

const equalQueries = (values: readonly string[]): Query[] => {
  const [one, two = one] = values
  if (one === undefined || two === undefined) return []
  const both = `${escapeCommas(one)},${escapeCommas(two)}`
  return [
    ['eq', one, (value) => value === one],
    ['ne', one, (value) => value !== one],
    ['in', both, (value) => value === one || value === two],
    ['nin', both, (value) => value !== one && value !== two],
    ['null', 'true', (value) => value === null],
  ]
}

const rangeQueries = (values: readonly string[]): Query[] => {
  const middle = values[Math.floor(values.length / 2)]
  if (middle === undefined) return []
  const compare = (holds: (order: number) => boolean) => (value: unknown) =>
    typeof value === 'string' && holds(compareBytes(value, middle))
  return [
    ['gt', middle, compare((order) => order > 0)],
    ['gte', middle, compare((order) => order >= 0)],
    ['lt', middle, compare((order) => order < 0)],
    ['lte', middle, compare((order) => order <= 0)],
  ]
}

const prefixQueries = ([value = '']: readonly string[]): Query[] => {
  const [character] = value
  return character === undefined ? [] : [['prefix', character, (each) => String(each).startsWith(character)]]
}

const readRows = (answer: ServiceAnswer): Row[] => (readJson(answer, '/data') ?? []) as Row[]
const sortedIds = (rows: readonly Row[]) => rows.map(({ id }) => id).sort()

const makeQueries = (rows: readonly Row[], field: string | undefined, make: typeof equalQueries) => {
  if (field === undefined) return []
  const values = [...new Set(rows.map((row) => row[field]))]
    .filter(
      (value): value is string => typeof value === 'string' && value !== '' && value.length <= longestValue,
    )
    .sort(compareBytes)
  return make(values).map(([operator, value, finds]) => ({
    query: new URLSearchParams({ [operator === 'in' ? field : `${field}[${operator}]`]: value }),
    expected: rows.filter((row) => finds(row[field])),
  }))
}

const checkFields = async ({ name, fields }: PublishedResource, { get, expect }: World) => {
  const answer = await get(`/v1/${name}?limit=1`)
  expect.status(answer, 200)
  if (readRows(answer).length === 0) throw new Skipped(`there are no ${name} to read`)
  expect.json(answer, { '/data/0': { has: fields } })
}

const checkFilters = async ({ name, filters }: PublishedResource, world: World) => {
  const { get, expect, isDemo } = world
  const first = await get(`/v1/${name}?limit=50`)
  expect.status(first, 200)
  const rows = readRows(first)
  if (rows.length === 0) throw new Skipped(`there are no ${name} to read`)
  const queries = [
    ...makeQueries(rows, filters.equal, equalQueries),
    ...makeQueries(rows, filters.range, rangeQueries),
    ...makeQueries(rows, filters.prefix, prefixQueries),
  ]
  for (const { query, expected } of queries.slice(0, isDemo ? 1 : undefined)) {
    const answer = await get(`/v1/${name}?${query}&fields=id&limit=500&id=${sortedIds(rows).join()}`)
    expect.status(answer, 200)
    expect.match(answer, 'records', sortedIds(readRows(answer)), sortedIds(expected))
  }
}

const compareCells = (a: unknown, b: unknown): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareBytes(String(a), String(b))
}

const checkOrder = async ({ name, sort: field }: PublishedResource, { get, expect }: World) => {
  for (const sort of [field, `-${field}`]) {
    const answer = await get(`/v1/${name}?sort=${sort}&fields=${field}&limit=500`)
    expect.status(answer, 200)
    const cells = readRows(answer).map((row) => row[field])
    if (cells.length === 0) throw new Skipped(`there are no ${name} to read`)
    const sorted = cells.toSorted(compareCells)
    expect.match(answer, field, cells, sort === field ? sorted : sorted.reverse())
  }
}

/** Returns checks of the fields, the filters and the order of each resource; in the demo, of the first one. */
export const listQueries = (resources: readonly PublishedResource[], isDemo: boolean): Check[] =>
  resources.slice(0, isDemo ? 1 : undefined).flatMap((resource) => [
    {
      section: 2,
      promise: `records of ${resource.name} contain all fields, even if null`,
      run: (world: World) => checkFields(resource, world),
    },
    {
      section: 3,
      promise: `filters of ${resource.name} return exactly the matching records`,
      run: (world: World) => checkFilters(resource, world),
    },
    {
      section: 3,
      promise: `${resource.name} are sorted by bytes, with null as the greatest value`,
      run: (world: World) => checkOrder(resource, world),
    },
  ])
