import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { importRecords } from '../../../app/import/index.ts'
import { loadReferenceData } from '../../../app/local/reference/load.ts'
import { createCommandLine, run as runCommand } from '../../command-line.ts'
import { grantName } from '../../grants.ts'
import {
  closeAfter,
  createTestApp,
  createTestDatabase,
  type Get,
  logIn,
  secretKey,
  type TestDatabase,
} from '../../helper.ts'

// A customer moves from one database to another, as docs/scaling.md describes.

const root = join(import.meta.dirname, '../../..')
const readText = (path: string) => readFileSync(join(root, path), 'utf8')
const file = join(t.testdir(), 'acme.ndjson')

const open = async () => {
  const database = await createTestDatabase()
  const app = await createTestApp(database)
  closeAfter(t, app, database)
  await loadReferenceData(database.operator)
  const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey }
  return { database, app, env, ...createCommandLine(env) }
}
const [old, cell] = [await open(), await open()]
const run = (database: TestDatabase, text: string) => sql.raw(text).execute(database.operator)

const fill = async () => {
  await old.json('customers', 'add', 'acme', '--name', 'Acme GmbH', '--plan', 'premium')
  await old.json('customers', 'settings', 'acme', '--expiring-within', '30')
  const records = ReadableStream.from([Buffer.from(readText('examples/records.ndjson'))])
  await importRecords(old.database.operator, records, { customer: 'acme' })
  await run(old.database, `update products set name = 'Acme Gateway 101' where id = 'P-100'`)
  await run(old.database, `delete from approvals where id = 'A-3'`)
  // Deleted and created again: its second creation has an even position.
  await run(old.database, `delete from lab where id = 'L-2'`)
  await run(
    old.database,
    `insert into lab (customer_id, id, report_number, title, status) values ('acme', 'L-2', 'N', 'T', 'draft')`,
  )
  await run(old.database, `update lab set title = 'U' where id = 'L-2'`)
  await run(old.database, `delete from lab where id = 'L-2'`)
  await run(
    old.database,
    `insert into lab (customer_id, id, report_number, title, status) values ('acme', 'L-2', 'N', 'V', 'draft')`,
  )
  await grantName(old.database, 'acme', 'expiring-by-country')
  const { api_key: apiKey } = await old.json('keys', 'issue', 'acme')
  return apiKey as string
}
const apiKey = await fill()

const owned = ['certificates', 'products', 'projects', 'lab', 'approvals']
const paths = [
  ...owned.map((name) => `/v1/${name}?count=exact`),
  '/v1/products?q=gateway',
  '/v1/products?tags=flagship',
  '/v1/certificates/C-1?as_of=today',
  '/v1/certificates?expiring=true',
]
const readAnswers = async (get: Get) => {
  const answers: Record<string, object> = {}
  for (const path of paths) {
    const answer = await get(path)
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.body}`)
    const { data, page } = answer.json()
    answers[path] = { data, total: page?.total, hasMore: page?.has_more }
  }
  return answers
}

/** The history of each record in its order, without positions. A creation without an earlier deletion has an even position. */
const readHistory = async ({ operator }: TestDatabase) => {
  const { rows } = await sql`
    select resource, record_id, at, since, old, position % 2 as parity
    from record_history where customer_id = 'acme' order by resource, record_id, position`.execute(operator)
  const begun = await sql`
    select distinct on (resource) resource, since from history_begun
    where customer_id in ('acme', '*') and resource <> 'countries'
    order by resource, customer_id desc`.execute(operator)
  return { rows, begun: begun.rows }
}

/** Adds records of other customers, so that positions of the new database differ. */
const occupy = async () => {
  await run(cell.database, `insert into customers (customer_id, name) values ('other', 'Other')`)
  await run(cell.database, `insert into products (customer_id, id, name) values ('other', 'p', 'one')`)
  for (const name of ['two', 'three', 'four'])
    await run(cell.database, `update products set name = '${name}'`)
}

const exportWithKeys = async () => {
  const { stdout, code } = await old.cli('customers', 'export', 'acme', '--with-keys')
  if (code !== 0) throw new Error('no export')
  return stdout
}

t.test('a customer moves with settings, records, times, history and keys', async (t) => {
  const exported = await exportWithKeys()
  writeFileSync(file, exported)
  await occupy()
  const imported = await cell.json('customers', 'import', file)
  t.match(imported, {
    customer: 'acme',
    rows: { customers: 1, products: 2, lab: 2, api_keys: 1 },
  })
  const [before, after] = [await logIn(old.app, apiKey), await logIn(cell.app, apiKey)]
  t.strictSame(await readAnswers(after.get), await readAnswers(before.get))
  const history = await readHistory(cell.database)
  t.ok(history.rows.length > 5)
  t.same(history, await readHistory(old.database))
  t.match((await after.get('/v1/me')).json(), { data: { settings: { expiring_within: 30 } } })
  t.match(imported.left_behind, [/1 grant of custom endpoints/, /audit entries/, /410/])
  const entries = await cell.json('audit', 'list', '--customer', 'acme')
  t.equal(entries.filter(({ action }: { action: string }) => action === 'customers.import').length, 1)
})

t.test(
  'later changes of the moved customer are after those of its history, and in the change log',
  async (t) => {
    await run(
      cell.database,
      `update products set name = 'Acme Gateway 102' where customer_id = 'acme' and id = 'P-100'`,
    )
    await run(cell.database, `delete from lab where customer_id = 'acme' and id = 'L-2'`)
    const { rows } = await sql`select record_id, old from record_history
      where customer_id = 'acme' order by position desc limit 2`.execute(cell.database.operator)
    t.match(rows.toReversed(), [
      { record_id: 'P-100', old: { name: 'Acme Gateway 101' } },
      { record_id: 'L-2', old: { title: 'V' } },
    ])
    const logged = await sql`select resource, record_id from change_log
    where customer_id = 'acme' order by xid desc, position desc limit 2`.execute(cell.database.operator)
    t.match(logged.rows, [{ record_id: 'L-2' }, { record_id: 'P-100' }])
  },
)

t.test('an export without keys leaves them behind, and says so', async (t) => {
  const { stdout } = await old.cli('customers', 'export', 'acme')
  t.notMatch(stdout, /sha256/)
  await cell.cli('customers', 'erase', 'acme', '--yes')
  const { left_behind: left } = JSON.parse(
    (await runWith(stdout, 'customers', 'import', '-', '--json')).stdout,
  )
  t.match(left[0], /1 key or link to a key: issue new ones with certdata keys issue acme/)
  t.same(await cell.json('keys', 'list', 'acme'), [])
})

const runWith = async (input: string, ...words: string[]) => {
  return runCommand(words, { env: cell.env, input })
}

t.test('a file that is cut, mixed or not complete imports nothing', async (t) => {
  const exported = await exportWithKeys()
  const refused = async (text: string, reason: string | RegExp) => {
    const { code, stderr } = await runWith(text, 'customers', 'import', '-')
    t.match({ code, stderr }, { code: 1, stderr: reason })
  }
  await refused(exported, 'Nothing was imported: this database has a customer acme: erase it first')
  await cell.cli('customers', 'erase', 'acme', '--yes')
  const lines = exported.trimEnd().split('\n')
  await refused('', 'the file is empty')
  await refused(lines.slice(0, -1).join('\n'), 'the last line is missing: the file was cut')
  await refused(lines.slice(1).join('\n'), 'line 1: the table is not "export"')
  await refused(
    lines.filter((line) => !line.includes('"P-110"')).join('\n'),
    'the file has 1 rows of products instead of 2',
  )
  await refused(`${exported}${lines[3]}`, 'after the end of the export')
  await refused(exported.replace('"format":1', '"format":2'), 'the format 2')
  await refused(
    exported.replace('"customer_id":"acme","id":"P-110"', '"customer_id":"other","id":"P-110"'),
    /line \d+: a row of another customer/,
  )
  await refused(
    exported.replace('"hardware_version":', '"colour":"red","hardware_version":'),
    /no column colour in products/,
  )
  await refused(
    exported.replace('"product_status":"active"', '"product_status":"lost"'),
    /products, lines \d+ to \d+: .*check/,
  )
  await refused('{"resource":"products"}\n', 'no object with "table" and "row"')
  t.match((await cell.cli('customers', 'list')).stdout, /other/)
  t.notMatch((await cell.cli('customers', 'list')).stdout, /acme/)
  const { code, stderr } = await runWith(exported, 'import', '-')
  t.match({ code, stderr }, { code: 1, stderr: 'npx --no certdata customers import file' })
})

t.test('a writer without the import cannot choose the times of a record', async (t) => {
  await run(
    cell.database,
    `insert into products (customer_id, id, name, created_at, updated_at)
    values ('other', 'q', 'one', '2020-01-01', '2020-01-01')`,
  )
  const { rows } = await sql<{ recent: boolean }>`select created_at > now() - interval '1 hour' as recent
    from products where id = 'q'`.execute(cell.database.operator)
  t.same(rows, [{ recent: true }])
})
