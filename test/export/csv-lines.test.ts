import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { readerRole } from '../../app/db/connect.ts'
import type { ExportRows } from '../../app/export/exports.ts'
import { createRecordExports } from '../../app/export/records.ts'
import { openSession } from '../../app/export/session.ts'
import { parsePairs } from '../../app/http/pairs.ts'
import { parseQuery } from '../../app/records/query/parse.ts'
import type { Resource } from '../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import type { ColumnKind, Sql } from '../../app/records/sql/column.ts'
import { createCsvStage } from './csv-stage.ts'

const { database, first, today, request, exports, take, readNew, readOld } = await createCsvStage()

const records = createRecordExports({ exports, today })
const getRecords = async (resource: Resource, query: string): Promise<ExportRows> => {
  const outcome = parseQuery(resource, 'csv', parsePairs(query))
  if (!('query' in outcome)) throw new Error(`${resource.name}?${query}`)
  await records.answer(request, resource, outcome.query)
  return take()
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
