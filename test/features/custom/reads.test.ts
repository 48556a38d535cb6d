import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { inTurn } from '../../../app/db/connect.ts'
import { regainTrust } from '../../../app/db/trust.ts'
import { importRecords } from '../../../app/import/index.ts'
import { loadReferenceData } from '../../../app/local/reference/load.ts'
import { createCommandLine } from '../../command-line.ts'
import { addOwnParts, marker } from '../../db/additions.ts'
import {
  asCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  type Get,
  secretKey,
  until,
  withoutTriggers,
} from '../../helper.ts'
import { createStage } from './stage.ts'

/** Custom endpoints read through the cache and the queue, like records. */

const root = join(import.meta.dirname, '../../..')
const readText = (path: string) => readFileSync(join(root, path), 'utf8')
const database = await createTestDatabase({ longestWaitMs: 1_000 })
const owner = connectOwner(database)
const app = await createTestApp(database)
closeAfter(t, app, owner, database)
const { json } = createCommandLine({ DATABASE_URL: database.url, SECRET_KEY: secretKey })
const run = (text: string) => sql.raw(text).execute(owner)

await loadReferenceData(database.operator)
const { get } = await asCustomer(database, app, 'acme')
const records = ReadableStream.from([Buffer.from(readText('examples/records.ndjson'))])
await importRecords(database.operator, records, { customer: 'acme' })
const stage = createStage(database)
for (const path of [
  'examples/custom/certificates-by-scheme.yaml',
  'examples/custom/expiring-by-country.yaml',
  'examples/custom/marktmatrix.yaml',
  'app/features/custom/shipped/dashboard-overview.yaml',
  'app/features/custom/shipped/market-access.yaml',
])
  await stage.give('acme', readText(path))
const paths = [
  '/v1/custom/certificates-by-scheme',
  '/v1/custom/expiring-by-country',
  '/v1/custom/marktmatrix',
  '/v1/custom/dashboard-overview',
  '/v1/custom/market-access?product_id=P-100&country_code=DE',
]
const dashboard = '/v1/custom/dashboard-overview'
const fresh = await get(dashboard)
if (fresh.statusCode !== 200) throw new Error(fresh.body)

/** Each requested turn of the database. One customer gets fewer. */
const turns = 4

t.test('a read of a custom endpoint waits for a turn and gets 503 after the deadline', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = Array.from({ length: turns }, (_, n) => inTurn(database.reader, `owner ${n}`, () => promise))
  const refused = await get(`${dashboard}?revision=1`)
  t.match([refused.statusCode, refused.json()], [503, { code: 'overloaded' }])
  t.equal((await get(dashboard, { 'cache-control': '' })).statusCode, 200, 'a cached answer needs no turn')
  resolve()
  await Promise.all(held)
  t.equal((await get(`${dashboard}?revision=1`)).statusCode, 200)
})

t.test('the probe finds a custom endpoint whose records changed without the change log', async (t) => {
  const cached: Get = (url) => get(url, { 'cache-control': '' })
  await until('it is cached', async () =>
    String((await cached(dashboard)).headers['cache-status']).startsWith('certdata; hit'),
  )
  const { body } = await cached(dashboard)
  const insert = `insert into products (customer_id, id, name, model_sort, product_status)
    values ('acme', 'p-3', 'new', 'w', 'active')`
  await run(withoutTriggers('products', insert))
  t.equal((await cached(dashboard)).body, body, 'the wrong answer')
  const results: string[] = []
  for (let result = ''; result !== 'nothing'; results.push(result)) result = await app.probeFreshness()
  t.ok(results.includes('different'))
  t.not((await cached(dashboard)).body, body)
  await regainTrust(owner)
  await until('trusted again', () => Object.values(app.readDistrust()).every((value) => value === 0))
})

t.test('columns and tables of the operator change no answer and no list of endpoints', async (t) => {
  const read = (ask: Get) => Promise.all(paths.map(async (path) => (await ask(path)).body))
  const before = await read(get)
  await addOwnParts(owner)
  const other = await createTestApp(database)
  t.teardown(() => other.close())
  const { get: getOther } = await asCustomer(database, other, 'acme')
  t.same(await read(getOther), before)
  t.notMatch(JSON.stringify(await json('custom', 'list')), marker)
})
