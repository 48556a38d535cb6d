import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { sql } from 'kysely'
import t from 'tap'
import { addUsage as addBatch } from '../../../app/features/account/usage.ts'
import { createUsageCounts } from '../../../app/features/account/usage-counts.ts'
import { features } from '../../../app/features.ts'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import {
  addCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  listenTestApp,
  logIn,
} from '../../helper.ts'
import { createDocumentChecks } from '../../openapi-document.ts'
import { eraseCustomer, exportCustomer, withoutPersonalData } from '../../personal-data.ts'

const database = await createTestDatabase()
const owner = connectOwner(database)
closeAfter(t, owner, database)

const scopes = ['*', 'account:read']
const today = () => new Date().toISOString().slice(0, 10)

const readRows = async (customer: string) => {
  const { rows } = await sql<Record<string, string | number>>`
    select day, endpoint, requests, not_modified, refused, bytes from usage_days
    where customer_id = ${customer} order by day, endpoint`.execute(database.operator)
  return rows
}

const toCount = (apiKey: string, more: object = {}) => ({
  key_id: parseApiKey(apiKey)?.keyId,
  day: today(),
  endpoint: '/v1/products',
  requests: 2,
  not_modified: 1,
  refused: 0,
  bytes: 100,
  ...more,
})
const addUsage = (counts: readonly object[]) =>
  sql`select add_usage(${randomUUID()}, 1, ${JSON.stringify(counts)}::json)`.execute(database.reader)

t.test('every answer is counted with its bytes, also of the edge, and written at the end', async (t) => {
  const { app, origin } = await listenTestApp(database)
  const { token } = await logIn(app, await addCustomer(database, 'edge', { scopes }))
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  let bytes = 0
  // Not by `fetch`, which adds `no-cache` to a request with an ETag.
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const all = { authorization: `Bearer ${token}`, ...headers }
    const sent = request(origin + path, { headers: all, agent }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    for await (const part of answer) bytes += part.length
    return { status: answer.statusCode, etag: String(answer.headers.etag) }
  }
  const first = await ask('/v1/products?limit=1')
  for (let n = 0; n < 5; n++) await ask('/v1/products?limit=1')
  t.ok(app.edgeAnswers > 0, `${app.edgeAnswers} answers of the edge`)
  const before = app.edgeAnswers
  for (let n = 0; n < 3; n++)
    t.equal((await ask('/v1/products?limit=1', { 'if-none-match': first.etag })).status, 304)
  t.ok(app.edgeAnswers > before, 'and with 304')
  t.equal((await ask('/products?limt=1')).status, 400)
  t.equal((await ask('/v1/products?format=csv')).status, 200)
  const listBytes = bytes
  t.equal((await ask('/v1/products/none')).status, 404)
  t.equal((await ask('/v1/unknown')).status, 404)
  t.equal((await fetch(`${origin}/v1/products`)).status, 401, 'without a customer')
  await app.close()
  const rows = await readRows('edge')
  t.match(rows, [
    { endpoint: '/v1/*', requests: 1, refused: 1 },
    { day: today(), endpoint: '/v1/products', requests: 11, not_modified: 3, refused: 1, bytes: listBytes },
    { endpoint: '/v1/products/{id}', requests: 1, not_modified: 0, refused: 1 },
  ])
  t.equal(rows.length, 3)
})

t.test('a revoked token counts as a refusal of its customer, and the demo is not counted', async (t) => {
  const app = await createTestApp(database)
  const { get } = await logIn(app, await addCustomer(database, 'gone'))
  await sql`update api_keys set revoked_at = now() where customer_id = 'gone'`.execute(database.operator)
  t.equal((await get('/v1/products')).statusCode, 401)
  await addCustomer(database, 'demo')
  const headers = { authorization: 'Bearer cda_demo_public' }
  t.equal((await app.inject({ url: '/v1/products', headers })).statusCode, 200)
  await app.close()
  t.match(await readRows('gone'), [{ endpoint: '/v1/products', requests: 1, refused: 1 }])
  t.same(await readRows('demo'), [])
})

t.test('counts whose confirmation was lost are counted once', async (t) => {
  const key = await addCustomer(database, 'lost')
  const counts = createUsageCounts({ now: Date.now })
  const keyId = parseApiKey(key)?.keyId as string
  const add = () =>
    counts.add({
      refusedKeyId: keyId,
      principal: undefined,
      route: '/v1/products',
      status: 401,
      bytes: 7,
    } as never)
  for (let n = 0; n < 3; n++) {
    add()
    await t.rejects(
      counts.flush(async (batch) => {
        await addBatch(database.reserved, batch)
        throw new Error('the connection broke after the commit')
      }),
      /broke/,
    )
  }
  t.match(await readRows('lost'), [{ requests: 1, bytes: 7 }], 'until the outcome is known')
  await counts.flush((batch) => addBatch(database.reserved, batch))
  t.match(await readRows('lost'), [{ requests: 3, refused: 3, bytes: 21 }])
  const { rows } = await sql`select batch::integer from usage_writers w
    where batch > 1`.execute(database.operator)
  t.same(rows, [{ batch: 2 }], 'one row for each process')
})

t.test(
  'a repeated batch waits for its first write, and a writer adds batches of others at any time',
  async (t) => {
    const key = await addCustomer(database, 'repeated')
    const batch = { writer: randomUUID(), number: 5, counts: [toCount(key)] as never[] }
    await Promise.all(Array.from({ length: 6 }, () => addBatch(database.reserved, batch)))
    t.match(await readRows('repeated'), [{ requests: 2 }])
    await addBatch(database.reserved, { ...batch, number: 4 })
    t.match(await readRows('repeated'), [{ requests: 2 }], 'an earlier batch was written, too')
    await addBatch(database.reserved, { ...batch, number: 6 })
    await addBatch(database.reserved, { ...batch, writer: randomUUID(), number: 1 })
    t.match(await readRows('repeated'), [{ requests: 6 }])
  },
)

t.test('instances add to the same rows at the same time', async (t) => {
  const keys = [await addCustomer(database, 'twice'), await addCustomer(database, 'twice-2')]
  const counts = keys.map((key) => toCount(key))
  await Promise.all(Array.from({ length: 20 }, (_, n) => addUsage(n % 2 ? counts : counts.toReversed())))
  for (const customer of ['twice', 'twice-2'])
    t.match(await readRows(customer), [{ requests: 40, not_modified: 20, bytes: 2_000 }], customer)
})

t.test('an answer has 31 days of its customer, as JSON and as CSV', async (t) => {
  const app = await createTestApp(database)
  closeAfter(t, app)
  const [acme, bolt] = [
    await addCustomer(database, 'shown', { scopes }),
    await addCustomer(database, 'shown-2', { scopes }),
  ]
  await addUsage([toCount(acme), toCount(bolt, { requests: 7 })])
  await sql`insert into usage_days
    select 'shown', (now() at time zone 'UTC')::date - n, '/v1/lab', 1, 0, 0, 9 from generate_series(30, 31) n`.execute(
    database.operator,
  )
  const { get } = await logIn(app, acme)
  const answer = await get('/v1/me/usage')
  t.match(answer.headers, { 'cache-control': 'no-store', etag: undefined, 'data-as-of': /Z$/ })
  const { data, counted } = answer.json()
  const from = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10)
  t.strictSame(data, [
    { day: today(), endpoint: '/v1/products', requests: 2, not_modified: 1, refused: 0, bytes: 100 },
    { day: from, endpoint: '/v1/lab', requests: 1, not_modified: 0, refused: 0, bytes: 9 },
  ])
  t.match(counted, { from, until: today(), write_seconds: 60, note: /killed/ })
  const served = await app.inject('/openapi.json')
  const { schema } = served.json().paths['/v1/me/usage'].get.responses[200].content['application/json']
  t.same(createDocumentChecks(served).validate(schema, answer.json()), [])

  const table = await get('/v1/me/usage?format=csv')
  t.match(table.headers, {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': `attachment; filename="usage-${today()}.csv"`,
  })
  t.equal(
    table.body,
    `day,endpoint,requests,not_modified,refused,bytes\r\n${today()},/v1/products,2,1,0,100\r\n${from},/v1/lab,1,0,0,9\r\n`,
  )
  t.equal((await get('/v1/me/usage', { accept: 'text/csv' })).body, table.body)
  t.match((await get('/v1/me/usage?format=xlsx')).json(), { status: 406 })
  const detail = 'The only parameter of this address is format: json or csv'
  t.match((await get('/v1/me/usage?from=2026-11-01')).json(), {
    status: 400,
    detail,
    errors: [{ parameter: 'from', code: 'unknown_parameter', detail }],
  })
  const theirs = (await (await logIn(app, bolt)).get('/v1/me/usage')).json()
  t.match(theirs.data, [{ endpoint: '/v1/products', requests: 7 }])
  t.equal(theirs.data.length, 1)
})

t.test('row level security alone separates customers, and only functions write', async (t) => {
  await addUsage([
    toCount(await addCustomer(database, 'walls')),
    toCount(await addCustomer(database, 'walls-2')),
  ])
  const count = async (session: string) => {
    const { rows } = await sql`
      select u.customer_id from (select set_config('app.customer_id', ${session}, true) offset 0) s,
        usage_days u`.execute(database.reader)
    return rows
  }
  t.same(await count('walls'), [{ customer_id: 'walls' }])
  t.same(await count(''), [])
  for (const statement of [
    'delete from usage_days',
    'update usage_days set bytes = 0',
    "insert into usage_days values ('walls', now(), '/', 1, 0, 0, 0)",
  ])
    await t.rejects(sql.raw(statement).execute(database.reader), /permission denied/, statement)
})

t.test('days older than 31 days are deleted by the background work', async (t) => {
  await addUsage([toCount(await addCustomer(database, 'aged'))])
  await sql`insert into usage_days
    select 'aged', (now() at time zone 'UTC')::date - n, '/v1/lab', 1, 0, 0, 9 from generate_series(29, 33) n`.execute(
    database.operator,
  )
  await sql`insert into usage_writers
    select gen_random_uuid(), 9, now() - make_interval(days => n) from generate_series(30, 32) n`.execute(
    owner,
  )
  const feature = features.find(({ name }) => name === 'account')
  const tasks = await feature?.tasks?.()
  if (!tasks) throw new Error('the feature has no tasks')
  const ran = Promise.withResolvers<void>()
  const waits: number[] = []
  const context = {
    reserved: database.reserved,
    warn: (message: string, error?: Error) => ran.reject(error ?? new Error(message)),
    // The first wait ends immediately, and the second one never does.
    after: (ms: number, act: () => void) => {
      waits.push(ms)
      if (waits.length === 1) act()
      else ran.resolve()
      return () => {}
    },
  }
  const [task] = tasks.startTasks(context as unknown as Parameters<typeof tasks.startTasks>[0])
  await ran.promise
  await task?.stop()
  t.same(waits, [60_000, 3_600_000])
  const days = (await readRows('aged')).map(({ endpoint }) => endpoint)
  t.same(days, ['/v1/lab', '/v1/lab', '/v1/products'], 'today and 30 days before')
  const writers = await sql`select from usage_writers where batch = 9`.execute(database.operator)
  t.equal(writers.rows.length, 1, 'and processes that have not written since')
})

t.test(
  'an erasure deletes the usage, and a later count of its keys adds nothing',
  { skip: withoutPersonalData },
  async (t) => {
    const key = await addCustomer(database, 'erased')
    await addUsage([toCount(key)])
    const exported = await exportCustomer(database, 'erased')
    t.match(exported.usage_days, [
      { customer_id: 'erased', endpoint: '/v1/products', requests: 2, bytes: 100 },
    ])
    t.match(await eraseCustomer(database, 'erased'), { rows: { usage_days: 1 } })
    // Another customer with the same name.
    const other = await addCustomer(database, 'erased')
    await addUsage([toCount(key), toCount(other, { requests: 1 })])
    t.match(await readRows('erased'), [{ requests: 1 }])
  },
)

t.test('a count waits for an erasure in progress', async (t) => {
  const [key, other] = [await addCustomer(database, 'locked'), await addCustomer(database, 'locked-2')]
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const erasing = database.operator.transaction().execute(async (trx) => {
    await sql`select from customers where customer_id = 'locked' for update`.execute(trx)
    await sql`delete from customers where customer_id = 'locked'`.execute(trx)
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const adding = addUsage([toCount(key), toCount(other)])
  await sql`select pg_sleep(0.1)`.execute(database.reserved)
  released.resolve()
  await erasing
  await adding
  t.same(await readRows('locked'), [])
  t.match(await readRows('locked-2'), [{ requests: 2 }])
})
