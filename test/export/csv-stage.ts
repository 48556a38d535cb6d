import { buffer } from 'node:stream/consumers'
import { sql } from 'kysely'
import Papa from 'papaparse'
import t from 'tap'
import type { ExportRequest, ExportRows, Exports } from '../../app/export/exports.ts'
import { getFormat } from '../../app/export/formats.ts'
import { type Cell, type RowBatches, selectColumns } from '../../app/export/rows.ts'
import type { ExportSession, WriteRows } from '../../app/export/session.ts'
import type { Field, ResourceName } from '../../app/records/resources/define.ts'
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

/** Fills a database with wild rows of every resource, and reads exports of them with both writers. */
export const createCsvStage = async () => {
  const database = await createTestDatabase()
  closeAfter(t, database)
  await addCustomer(database, 'acme')
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
  return { database, first, today, request, exports, take, readNew, readOld }
}
