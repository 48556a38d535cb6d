import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { importRecords } from '../../app/import/index.ts'
import { type ImportDatabase, type Line, openDatabase, ownedResources, type Row } from './database.ts'

const folder = join(import.meta.dirname, '..', 'data')
const envelope = ['resource', 'customer', 'customer_name']
const months = ['2026-01-06', '2026-02-28', '2026-04-25'] as const

const readFile = (day: string) => gunzipSync(readFileSync(join(folder, `certifications-${day}.ndjson.gz`)))
const parseFile = (bytes: Buffer): Line[] =>
  bytes
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** The expected lines, by resource and by `customer id`. */
type Model = Map<string, Map<string, Line>>

/** With `replace`, the customers of a file have its records and no others. */
const replaceIn = (model: Model, lines: readonly Line[]): void => {
  const customers = new Set(lines.map((line) => line.customer))
  for (const records of model.values()) {
    for (const [key, line] of records) if (customers.has(line.customer)) records.delete(key)
  }
  for (const line of lines) model.get(String(line.resource))?.set(`${line.customer} ${line.id}`, line)
}

/** Each field of the line must be stored unchanged; the periods are derived from the dates. */
const listDifferences = (line: Line, row: Row | undefined): string[] => {
  if (!row) return [`${line.resource} ${line.id} is missing`]
  const expected: Line = { ...line }
  if (line.valid_from) {
    expected.validity_periods = [{ from: line.valid_from, until: line.valid_until ?? null, basis: 'initial' }]
  }
  return Object.entries(expected)
    .filter(([name]) => !envelope.includes(name))
    .filter(([name, value]) => !isDeepStrictEqual(row[name], value))
    .map(
      ([name, value]) => `${line.id}.${name}: ${JSON.stringify(value)} became ${JSON.stringify(row[name])}`,
    )
}

const compare = async (database: ImportDatabase, model: Model): Promise<string[]> => {
  const differences: string[] = []
  for (const [resource, lines] of model) {
    const rows = await database.read(resource)
    for (const key of rows.keys()) if (!lines.has(key)) differences.push(`${resource} ${key} is too many`)
    for (const [key, line] of lines) differences.push(...listDifferences(line, rows.get(key)))
  }
  return differences
}

t.test('three months of real registers', async (t) => {
  const database = await openDatabase(t)
  const { operator, query } = database
  const model: Model = new Map(ownedResources.map((name) => [name, new Map()]))

  for (const month of months) {
    await t.test(`${month} replaces its customers' records, and leaves other customers alone`, async (t) => {
      const bytes = readFile(month)
      const lines = parseFile(bytes)
      const report = await importRecords(operator, ReadableStream.from([bytes]), { replace: true })
      t.equal(report.read, lines.length)
      t.equal(report.bad, 0)
      t.equal(report.created + report.updated + report.unchanged, lines.length)
      replaceIn(model, lines)
      t.strictSame((await compare(database, model)).slice(0, 10), [])
    })
  }

  await t.test('customers of older files only are among those compared', async (t) => {
    const inApril = new Set(parseFile(readFile('2026-04-25')).map((line) => line.customer))
    const older = [...(model.get('certificates')?.values() ?? [])].filter(
      (line) => !inApril.has(line.customer),
    )
    t.ok(older.length > 0)
  })

  await t.test('the same file again writes nothing, not even a row version', async (t) => {
    const before = await database.fingerprint()
    const report = await importRecords(operator, ReadableStream.from([readFile('2026-04-25')]), {
      replace: true,
    })
    t.match(report, { created: 0, updated: 0, deleted: 0, unchanged: report.read })
    t.strictSame(await database.fingerprint(), before)
  })

  await t.test('customers are created with their name, on the plan without API access', async (t) => {
    const customers = await query<{ customer_id: string; name: string; plan: string }>(
      'select customer_id, name, plan from customers',
    )
    const names = new Map(
      months
        .flatMap((month) => parseFile(readFile(month)))
        .reverse()
        .map((line) => [line.customer, line.customer_name]),
    )
    t.equal(customers.length, names.size)
    t.same(new Set(customers.map((customer) => customer.plan)), new Set(['basic']))
    t.strictSame(
      customers.filter((customer) => customer.name !== names.get(customer.customer_id)),
      [],
    )
  })
})
