import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import Papa from 'papaparse'
import pg from 'pg'
import t from 'tap'
import { checkDocument } from '../../app/custom/check.ts'
import { createCustomExports } from '../../app/custom/exports.ts'
import { readText } from '../../app/custom/read.ts'
import { readRequest } from '../../app/custom/request.ts'
import { readerRole } from '../../app/db/connect.ts'
import type { ExportRequest, ExportRows, Exports } from '../../app/export/exports.ts'
import { getFormat } from '../../app/export/formats.ts'
import { createRecordExports } from '../../app/export/records.ts'
import { type Cell, type RowBatches, selectColumns } from '../../app/export/rows.ts'
import { type ExportSession, openSession, type WriteRows } from '../../app/export/session.ts'
import { parsePairs } from '../../app/http/pairs.ts'
import { parseQuery } from '../../app/records/query/parse.ts'
import type { Field, Resource, ResourceName } from '../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import type { ColumnKind, ExportColumn, Sql } from '../../app/records/sql/column.ts'
import { addCustomer, closeAfter, createTestDatabase } from '../helper.ts'
import { fc, seed } from '../random.ts'
import { wildText } from './rows.ts'

/** The writer that PostgreSQL replaced: it writes each cell in this process. */
const formula = /^'*[=+\-@\t\r]/
const guard = (text: string) => (formula.test(text) ? `'${text}` : text)
const toOldCell = (cell: Cell | undefined, kind: ColumnKind): string | null => {
  if (cell === null || cell === undefined) return null
  if (kind === 'text') return guard(String(cell))
  if (kind !== 'texts') return String(cell)
  const texts = cell as readonly (string | null)[]
  const joined = texts.map((text) => (text ?? '').replace(/[;\\]/g, '\\$&')).join(';')
  return texts.length === 0 ? null : guard(joined)
}
const toOldLines = (rows: (string | null)[][]): string =>
  `${Papa.unparse(rows, { newline: '\r\n', quotes: (cell) => cell === '' })}\r\n`
const writeOld = async function* (batches: RowBatches, columns: readonly ExportColumn[]) {
  const none = columns.length === 1 ? '' : null
  yield toOldLines([columns.map(({ name }) => name)])
  for await (const rows of batches)
    yield toOldLines(rows.map((row) => columns.map(({ kind }, index) => toOldCell(row[index], kind) ?? none)))
}

const database = await createTestDatabase()
closeAfter(t, database)
await addCustomer(database, 'acme')

const first = sql`select 1 as one`
const readAs = async (session: ExportSession<unknown>, statement: Sql, write: WriteRows): Promise<string> =>
  String(await buffer(session.stream([statement], write)))

const csv = getFormat('text/csv')
const readNew = async (
  { columns, from }: Pick<ExportRows, 'columns' | 'from'>,
  session?: ExportSession<unknown>,
): Promise<string> =>
  readAs(session ?? (await database.exportSource.open('acme', first)), csv.select(columns, from), (rows) =>
    csv.write(rows, columns, false),
  )
const readOld = async ({ columns, from }: ExportRows): Promise<string> =>
  readAs(await database.exportSource.open('acme', first), selectColumns(columns, from), (rows) =>
    writeOld(rows, columns),
  )

/** Keeps the rows that the service would export. */
const createCapture = () => {
  const captured: ExportRows[] = []
  const exports: Exports = {
    hold: async () => {},
    answer: async (_request, rows) => {
      captured.push(rows)
      return { type: '', body: undefined, headers: {} }
    },
  }
  return { exports, take: () => captured.pop() as ExportRows }
}
const { exports, take } = createCapture()
const today = () => '2026-11-28'
const request = { principal: { customerId: 'acme' }, type: 'text/csv' } as ExportRequest

const records = createRecordExports({ exports, today })
const getRecords = async (resource: Resource, query: string): Promise<ExportRows> => {
  const outcome = parseQuery(resource, 'csv', parsePairs(query))
  if (!('query' in outcome)) throw new Error(`${resource.name}?${query}`)
  await records.answer(request, resource, outcome.query)
  return take()
}

const wild = fc.oneof(
  wildText,
  fc.constantFrom(
    '',
    ' ',
    ' a',
    'a ',
    '\ufeff',
    'a\ufeffb',
    '=1',
    "'",
    "'=",
    "''@",
    "'a",
    '-',
    '+1',
    '\ta',
    '\r',
    '\\',
  ),
  fc.constantFrom(
    'a,b',
    '"',
    'a"b',
    '\n',
    'a\r\nb',
    ';',
    'Ä',
    '€',
    '漢字,',
    '😀"',
    '{}',
    'NULL',
    '0',
    '9=',
    '<',
  ),
)
const short = wild.map((text) => text.slice(0, 150).toWellFormed())
const long = fc
  .integer({ min: 1, max: 3_000 })
  .chain((times) => short.map((text) => `${text}x`.repeat(times)))
const date = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((moment) => moment.toISOString().slice(0, 10))

const objects: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  validity_periods: fc.array(fc.record({ from: date, until: fc.option(date), basis: short }), {
    maxLength: 3,
  }),
  authorities: fc.array(fc.record({ name: short, role: fc.option(short) }), { maxLength: 2 }),
  requirements: fc.record({ note: fc.option(short), schemes: fc.array(short, { maxLength: 2 }) }),
}

const getValue = (field: Field): fc.Arbitrary<unknown> => {
  const { kind, name, values } = field
  if (kind === 'json') return objects[name] ?? fc.constant(null)
  if (kind === 'date') return date
  if (kind === 'instant')
    return fc.date({ min: new Date('1900-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  if (kind === 'integer') return fc.integer({ min: 0, max: 99_999 })
  if (kind === 'boolean') return fc.boolean()
  if (values) return fc.constantFrom(...values)
  const isIndexed = field.filter !== undefined || field.sortColumn !== undefined
  return isIndexed ? short : fc.oneof({ weight: 20, arbitrary: short }, { weight: 1, arbitrary: long })
}

const codes = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const getId = (name: ResourceName, index: number): object => {
  if (name !== 'countries')
    return { id: `${['-', '.', '~', 'A', '0'][index % 5]}${index}`, customer_id: 'acme' }
  const code = `${codes[Math.floor(index / 26)]}${codes[index % 26]}`
  return { id: code, code, alpha3: `${code}X` }
}

const rowCount = 80
for (const name of resourceNames) {
  const fixed = new Set(['id', 'code', 'alpha3'])
  const fields = [...resources[name].fields.values()].filter(
    (field) => !field.computed && !fixed.has(field.name),
  )
  const shape = fields.map((field): [string, fc.Arbitrary<unknown>] => {
    const value = field.array ? fc.array(getValue(field), { maxLength: 3 }) : getValue(field)
    return [field.name, field.nullable ? fc.option(value, { freq: 3 }) : value]
  })
  const rows = fc
    .sample(fc.record(Object.fromEntries(shape)), { numRuns: rowCount, seed })
    .map((row, index) => ({ ...row, ...getId(name, index) }))
  const columns = sql.join(Object.keys(rows[0] as object).map((column) => sql.ref(column)))
  const text = JSON.stringify(rows)
  await sql`insert into ${sql.table(name)} (${columns})
    select ${columns} from json_populate_recordset(null::${sql.table(name)}, ${text}::json)`.execute(
    database.operator,
  )
}

t.test('the lines of every resource are the bytes of the previous writer', async (t) => {
  for (const name of resourceNames) {
    const resource = resources[name]
    const names = [...resource.fields.keys()]
    const queries = ['', 'limit=3', `fields=${names.toReversed().join()}`, 'id=ZZ']
    for (const query of queries) {
      const rows = await getRecords(resource, query)
      const lines = await readNew(rows)
      t.ok(lines === (await readOld(rows)), `${name}?${query}: ${lines.length} characters`)
    }
    for (const field of resource.fields.keys()) {
      const rows = await getRecords(resource, 'limit=500')
      const one = { ...rows, columns: rows.columns.filter((column) => column.name === field) }
      t.equal(await readNew(one), await readOld(one), `only ${name}.${field}`)
    }
  }
})

const endpoint = `
name: everything
revision: 1
params:
  n: { type: integer, default: -5 }
  s: { type: string, default: "=a,b" }
  b: { type: boolean, default: true }
  d: { type: date, default: "2026-01-31" }
list:
  from: certificates
  joins:
    c: { to: countries, on: country_code, pick: [name, requirements] }
    p: { to: products, many_on: parent_product_id, on: product_id, limit: 2, pick: { name: name } }
  select:
    id: id
    Größe: title
    text: { concat: [number, holder, { const: "-" }], separator: ", " }
    map: { map: { field: approval_status, values: { approved: "=x", pending: "" }, else: null } }
    flag: { if: { test: { field: validity, eq: valid }, then: true, else: false } }
    mixed: { if: { test: { field: validity, eq: valid }, then: -7, else: { field: title } } }
    number: { if: { test: { field: validity, eq: valid }, then: -7.5, else: null } }
    tags: tags
    periods: validity_periods
    until: valid_until
    day: { date: { field: valid_until, format: "DD, MM" } }
    changed: updated_at
    remaining: days_remaining
    expiring: expiring
    note: c.requirements.note
    schemes: c.requirements.schemes
    requirements: c.requirements
    products: p
    n: { param: n }
    s: { param: s }
    b: { param: b }
    d: { param: d }
`

t.test('the lines of a custom endpoint are the bytes of the previous writer', async (t) => {
  const definition = checkDocument(readText(endpoint))
  const answers = createCustomExports({ exports })
  const day = today()
  const parse = (text: string) => {
    const outcome = readRequest(
      { definition, revisions: [definition], today: day, shape: 'csv' },
      parsePairs(text),
    )
    if (!('request' in outcome)) throw new Error(JSON.stringify(outcome))
    return { definition, day, request: outcome.request }
  }
  for (const query of ['', 'limit=2', 'n=0&b=false&s=%20x']) {
    await answers.answer({ ...request, query: parse(query) })
    const rows = take()
    const lines = await readNew(rows)
    t.equal(lines, await readOld(rows), query)
    t.ok(lines.split('\r\n').length > 2)
    for (const column of rows.columns) {
      const one = { ...rows, columns: [column] }
      t.equal(await readNew(one), await readOld(one), `only ${column.name}`)
    }
  }
})

const readCells = async (cells: readonly [ColumnKind, Sql][]): Promise<string> => {
  const columns = cells.map(([kind, value], index) => ({ name: `c${index}`, kind, value }))
  const [, ...lines] = (await readNew({ columns, from: sql`` })).split('\r\n')
  return lines.slice(0, -1).join('\r\n')
}

t.test('writes the bytes of a cell', async (t) => {
  const table: [ColumnKind, Sql, string][] = [
    ['text', sql`null`, '""'],
    ['text', sql`''`, '""'],
    ['text', sql`'plain'`, 'plain'],
    ['text', sql`'a,b'`, '"a,b"'],
    ['text', sql`'say "yes"'`, '"say ""yes"""'],
    ['text', sql`E'two\\nlines'`, '"two\nlines"'],
    ['text', sql`E'a\\rb'`, '"a\rb"'],
    ['text', sql`'=1+1'`, "'=1+1"],
    ['text', sql`'''=1+1'`, "''=1+1"],
    ['text', sql`'''quoted'''`, "'quoted'"],
    ['text', sql`'-5'`, "'-5"],
    ['text', sql`E'\\ttab'`, "'\ttab"],
    ['text', sql`'@x,"'`, '"\'@x,"""'],
    ['text', sql`' =1'`, '" =1"'],
    ['text', sql`'a '`, '"a "'],
    ['text', sql`E'\\ufeff'`, '"\ufeff"'],
    ['integer', sql`-5`, '-5'],
    ['number', sql`'-12.50'::text`, '-12.50'],
    ['boolean', sql`true`, 'true'],
    ['boolean', sql`false`, 'false'],
    ['date', sql`date '0001-02-03'`, '0001-02-03'],
    ['token', sql`'2026-01-31'`, '2026-01-31'],
    ['instant', sql`'2026-04-25T11:02:03.000001Z'`, '2026-04-25T11:02:03.000001Z'],
    ['texts', sql`'{}'::text[]`, '""'],
    ['texts', sql`array['']`, '""'],
    ['texts', sql`array['a', 'b']`, 'a;b'],
    ['texts', sql`array['a;b', E'c\\\\']`, 'a\\;b;c\\\\'],
    ['texts', sql`array[null, 'NULL']`, ';NULL'],
    ['texts', sql`array['=x', ';']`, "'=x;\\;"],
    ['json', sql`'{"a":-1}'::json`, '"{""a"":-1}"'],
    ['json', sql`'[]'::json`, '[]'],
  ]
  for (const [kind, value, expected] of table) t.equal(await readCells([[kind, value]]), expected, expected)
  const two: [ColumnKind, Sql][] = [
    ['text', sql`null`],
    ['texts', sql`'{}'::text[]`],
  ]
  t.equal(await readCells(two), ',', 'only a single column needs quotes for null')
  const many = Array.from({ length: 120 }, (_, index) => index)
  t.equal(await readCells(many.map((each) => ['integer', sql.lit(each)])), many.join(), '120 columns')
})

t.test('the bytes do not depend on the settings of the session', async (t) => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.teardown(() => client.end())
  await client.query(`set role ${readerRole}; set datestyle = 'German, DMY'; set timezone = 'Asia/Tokyo';
    set intervalstyle = 'iso_8601'; set standard_conforming_strings = off; set bytea_output = 'escape';
    set extra_float_digits = -15; set quote_all_identifiers = on; set array_nulls = off`)
  for (const name of resourceNames) {
    const rows = await getRecords(resources[name], '')
    const limits = { idleMs: 60_000, totalMs: 60_000 }
    const session = await openSession(
      { client: client as unknown as pg.PoolClient, customerId: 'acme', limits, release: () => {} },
      first,
    )
    t.ok((await readNew(rows, session)) === (await readNew(rows)), name)
  }
})
