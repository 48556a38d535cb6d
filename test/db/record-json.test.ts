import fc from 'fast-check'
import { type RawBuilder, sql } from 'kysely'
import t from 'tap'
import { z } from 'zod'
import { instantText } from '../../app/db/instant.ts'
import type { Field, Resource } from '../../app/records/resources/define.ts'
import { compactJson } from '../../app/records/sql/json-text.ts'
import { createSheet, writeRecords } from '../../app/records/sql/record-json.ts'
import { createTestDatabase } from '../helper.ts'

/** Records in PostgreSQL's binary form, written as JSON here: the same bytes as PostgreSQL's own JSON. */

const database = await createTestDatabase()
t.teardown(() => database.close())

const textSchema = z.string()
const inner = z.object({ 'a "b"': z.int(), c: z.array(z.string()) })
const object = z.object({ from: textSchema, until: textSchema.nullable(), basis: inner.nullable() })
const listed = z.array(object).nullable()
/** A `json` is shown as it is stored, as what SQL computes is. */
const computed = { select: '' }

type Kind = Pick<Field, 'kind' | 'array'> & { schema?: z.ZodType; computed?: Field['computed'] }
/** Name, what it is here, and PostgreSQL's type. */
const columns: [name: string, kind: Kind, type: string][] = [
  ['a', { kind: 'text', array: false }, 'text'],
  ['list "of" é', { kind: 'text', array: true }, 'text[]'],
  ['day', { kind: 'date', array: false }, 'calendar_date'],
  ['at', { kind: 'instant', array: false }, 'timestamptz'],
  ['n', { kind: 'integer', array: false }, 'integer'],
  ['large', { kind: 'integer', array: false }, 'bigint'],
  ['yes', { kind: 'boolean', array: false }, 'boolean'],
  ['object', { kind: 'json', array: false, computed }, 'jsonb'],
  ['x'.repeat(63), { kind: 'json', array: false, computed }, 'json'],
  ['z', { kind: 'text', array: false }, 'text'],
  ['listed', { kind: 'json', array: false, schema: listed }, 'jsonb'],
  ['single', { kind: 'json', array: false, schema: object }, 'jsonb'],
]
/** As much of a resource as is looked at. */
const resource = {
  fields: new Map(columns.map(([name, kind]) => [name, { name, ...kind }])),
} as unknown as Resource

const text = fc
  .array(
    fc.oneof(fc.constantFrom(...'"\\,\t\r\n\b\f\v\u0001\u001f\u007f{}é漢😀'), fc.string({ unit: 'binary' })),
    {
      maxLength: 12,
    },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''))
const instant = fc
  .date({ min: new Date('1720-01-01'), max: new Date('2280-01-01'), noInvalidDate: true })
  .chain((date) =>
    fc
      .integer({ min: 0, max: 999 })
      .map((micros) => date.toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`)),
  )
const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
/** Members in any order, some of them missing, of another type, or of another name. */
const membersOf = (values: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { arbitrary: fc.record({ ...values, other: fc.jsonValue() }, { requiredKeys: [] }), weight: 5 },
    fc.jsonValue(),
  )
const innerJson = membersOf({ 'a "b"': fc.double(), c: fc.array(fc.oneof(text, fc.jsonValue())) })
const objectJson = membersOf({ from: text, until: fc.oneof(text, fc.constant(null)), basis: innerJson })
const toJson = (value: unknown) => JSON.stringify(value).replaceAll('\\u0000', '')
const json = fc.jsonValue().map((value) => JSON.stringify(value).replaceAll('\\u0000', ''))
const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 5 })
const record: fc.Arbitrary<unknown[]> = fc.tuple(
  nullable(text),
  nullable(fc.array(nullable(text), { maxLength: 4 })),
  nullable(day),
  nullable(instant),
  nullable(fc.integer()),
  nullable(fc.maxSafeInteger()),
  nullable(fc.boolean()),
  nullable(json),
  nullable(json),
  nullable(text),
  nullable(fc.oneof(fc.array(objectJson, { maxLength: 4 }), fc.jsonValue()).map(toJson)),
  nullable(objectJson.map(toJson)),
)

const select = (
  values: readonly unknown[],
  show: (column: string, type: string) => string,
): RawBuilder<unknown> =>
  sql`select ${sql.join(
    columns.map(
      ([name, , type]) =>
        sql`${sql.raw(show(`v.${JSON.stringify(name.replace(/\W/g, '_'))}`, type))} as ${sql.id(name)}`,
    ),
  )} from (select ${sql.join(
    columns.map(
      ([name, , type], index) =>
        sql`${values[index]}::${sql.raw(type)} as ${sql.id(name.replace(/\W/g, '_'))}`,
    ),
  )}) v`

/** A column as PostgreSQL's own JSON has it. */
const shown = (column: string, type: string): string => {
  if (type === 'timestamptz') return instantText(column)
  const { schema } = columns.find(([name]) => column === `v.${JSON.stringify(name)}`)?.[1] ?? {}
  return schema ? compactJson(schema, column) : column
}

const ask = async (values: readonly unknown[]) => {
  const { rows } = await sql<{ bytes: Buffer; json: string }>`
    select (select record_send(x) from (${select(values, (column) => column)}) x) as bytes,
      (select row_to_json(x)::text from (${select(values, shown)}) x) as json`.execute(database.operator)
  return rows[0] as { bytes: Buffer; json: string }
}

/** `size`: of the memory at first; small, so that it has to grow. */
const write = (bytes: Buffer, count: number, fields?: readonly string[], size = 8): string => {
  const sheet = createSheet(size)
  writeRecords({ bytes, start: 0, end: bytes.length }, count, resource, fields, sheet)
  return sheet.bytes.toString('utf8', 0, sheet.at)
}

t.test('whatever a record holds, its JSON is PostgreSQL’s own', async (t) => {
  await fc.assert(
    fc.asyncProperty(record, async (values) => {
      const { bytes, json } = await ask(values)
      t.equal(write(bytes, 1), json)
    }),
    { numRuns: 200 },
  )
})

t.test('days and instants at the ends of months, years and centuries', async (t) => {
  for (const date of [
    '0001-01-01',
    '1900-02-28',
    '1999-12-31',
    '2000-01-01',
    '2000-02-29',
    '2100-03-01',
    '9999-12-31',
  ]) {
    const near = date < '1720' || date > '2280' ? '2024-02-29' : date
    const values = [null, null, date, `${near}T23:59:59.999999Z`, -2147483648, 0, false, null, null, null]
    const { bytes, json } = await ask(values)
    t.equal(write(bytes, 1), json, date)
  }
})

t.test('as many records as are wanted, with a comma between them', async (t) => {
  const [one, two] = [await ask(['1', [], null, null, 1]), await ask(['2', ['x'], null, null, 2])]
  const bytes = Buffer.concat([one.bytes, two.bytes])
  t.equal(write(bytes, 1), one.json)
  t.equal(write(bytes, 2), `${one.json},${two.json}`)
})

t.test('a record of other columns than are meant is no answer', async (t) => {
  const { bytes } = await ask([])
  t.throws(() => write(bytes, 1, ['a', 'z']), /a record of 12 columns where 2 are meant/)
})

t.test('whatever a text becomes has room, the last as the first', async (t) => {
  for (const text of ['\u0001'.repeat(1_000), '"'.repeat(1_000), 'é\\😀\u2028'.repeat(300), '']) {
    const { bytes, json } = await ask([
      text,
      [text, '', null, text],
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      text,
    ])
    t.equal(write(bytes, 1), json)
  }
})

t.test('an array counts from anywhere; one that is no list is no answer', async (t) => {
  const list = await ask(['', sql`'[0:1]={a,NULL}'::text[]`])
  t.equal(write(list.bytes, 1), list.json)
  const nested = await ask(['', sql`'{{a,b},{c,d}}'::text[]`])
  t.throws(() => write(nested.bytes, 1), /an array of 2 dimensions where a list is meant/)
})

t.test('members that are missing have room, however many', async (t) => {
  const { bytes, json } = await ask([
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    `[${'{},'.repeat(999)}{}]`,
    '{}',
  ])
  t.equal(write(bytes, 1), json)
})

t.test('memory of any size grows where it must', async (t) => {
  const { bytes, json } = await ask(['\u0001', ['\u0001'], '2024-02-29', null, -1, -1, false, '[]'])
  const two = Buffer.concat([bytes, bytes])
  const expected = `${json},${json}`
  for (let size = 1; size <= 2 * expected.length; size++) {
    if (write(two, 2, undefined, size) !== expected) t.fail(`of ${size} bytes`)
  }
})
