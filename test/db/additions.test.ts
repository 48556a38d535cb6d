import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { parseApiKey } from '../../app/identity/api-keys.ts'
import { importRecords } from '../../app/import/index.ts'
import { loadReferenceData } from '../../app/local/reference/load.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { createCommandLine } from '../command-line.ts'
import {
  addCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  type Get,
  logIn,
  secretKey,
} from '../helper.ts'
import { addOwnParts, marker } from './additions.ts'

// The operator may add columns and tables to the database. No answer and no list of a command shows them.

const root = join(import.meta.dirname, '../..')
const readText = (path: string) => readFileSync(join(root, path), 'utf8')
const database = await createTestDatabase()
const owner = connectOwner(database)
closeAfter(t, owner, database)
const { json } = createCommandLine({ DATABASE_URL: database.url, SECRET_KEY: secretKey })
const run = async <Row>(text: string) => (await sql.raw<Row>(text).execute(owner)).rows
const owned = resourceNames.filter((name) => !resources[name].reference)

const records = readText('examples/records.ndjson')
const importLines = (lines: string, dryRun = false) =>
  importRecords(database.operator, ReadableStream.from([Buffer.from(lines)]), { customer: 'acme', dryRun })

const paths = [
  ...resourceNames.flatMap((name) => {
    const includes = Object.keys(resources[name].includes)
    const all = [`/v1/${name}?count=exact`, `/v1/${name}?format=ndjson`, `/v1/${name}?format=csv`]
    return includes.length > 0 ? [...all, `/v1/${name}?include=${includes}`] : all
  }),
  '/v1/products/P-100',
  '/v1/certificates/C-1?as_of=today',
  '/v1/products?q=gateway',
  '/v1/me',
]

const momentary = /"(?:request_id|data_as_of|after|next|since)":"[^"]*"|"(?:remaining|reset_seconds)":\d+/g

/** The answers by path, without values that differ between two equal requests. */
const readAnswers = async (get: Get) => {
  const answers: Record<string, string> = {}
  for (const path of paths) {
    const answer = await get(path)
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.body}`)
    answers[path] = answer.body.replaceAll(momentary, '')
  }
  return answers
}

await loadReferenceData(database.operator)
const apiKey = await addCustomer(database, 'acme')
await importLines(records)
await run(`update products set name = 'Acme Gateway 101' where id = 'P-100'`)
await run(`delete from approvals where id = 'A-3'`)

const openClient = async () => {
  const app = await createTestApp(database)
  t.teardown(() => app.close())
  return logIn(app, apiKey)
}

const before = await readAnswers((await openClient()).get)
await addOwnParts(owner)
const { get } = await openClient()

t.test('columns and tables of the operator change no answer', async (t) => {
  t.strictSame(await readAnswers(get), before)
})

t.test('an update of the operator’s columns changes no record', async (t) => {
  const read = () =>
    run<object>(`select (select count(*) from change_log) as changes, (select count(*) from record_history) as history,
      (select json_agg(updated_at order by id) from products) as times`)
  const before = await read()
  await run(`update products set operator_note = 'paid'`)
  await run('update products set name = name')
  t.same(await read(), before)
  t.same(await run('select distinct operator_note as note from products'), [{ note: 'paid' }])
})

t.test('changes and deletions of records show and keep nothing of them', async (t) => {
  await run(`update products set name = 'Acme Gateway 102' where id = 'P-100'`)
  await run(`update products set id = 'P-111' where id = 'P-110'`)
  for (const name of owned) await run(`delete from ${name} where customer_id = 'acme'`)
  const shown = [
    ...(await run<{ old: string }>('select old::text from record_history')).map(({ old }) => old),
  ]
  t.same(
    shown.filter((text) => text?.includes(marker) || text?.includes('operator_sum')),
    [],
  )
})

t.test('imports, the dry run and commands work as before', async (t) => {
  t.match(await importLines(records), { bad: 0 })
  t.match(await importLines(records, true), { bad: 0, created: 0, updated: 0 })
  t.match(await importLines(records), { bad: 0, created: 0, updated: 0 })
  const keyId = parseApiKey(apiKey)?.keyId as string
  const outputs = [
    await json('customers', 'show', 'acme'),
    await json('keys', 'list'),
    await json('keys', 'networks', keyId, '--anywhere'),
    await json('audit', 'list'),
    await json('requests', 'list'),
    await json('signing-keys', 'list'),
  ]
  t.notMatch(JSON.stringify(outputs), marker)
})
