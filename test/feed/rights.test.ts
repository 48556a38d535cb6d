import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { revokeApiKey } from '../../app/identity/api-key-store.ts'
import { parseApiKey } from '../../app/identity/api-keys.ts'
import type { LimitStore, SlotStore } from '../../app/limits/store.ts'
import { eraseCustomer } from '../../app/operator/gdpr/erase.ts'
import {
  addCustomer,
  connectOwner,
  createTestDatabase,
  listenTestApp,
  logIn,
  type TestAppOptions,
  until,
} from '../helper.ts'
import { openEvents } from './event-stream.ts'

/** A client waits for changes, with a stream or a poll, only while it is authorized. */

const database = await createTestDatabase()
const owner = connectOwner(database)
t.teardown(async () => {
  await owner.destroy()
  await database.close()
})

const listen = async (t: Pick<Test, 'teardown'>, options: TestAppOptions = {}) => {
  const { app, origin } = await listenTestApp(database, options)
  t.teardown(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  return { app, url: `${origin}/v1/changes` }
}
type Instance = Awaited<ReturnType<typeof listen>>

let customers = 0
const newCustomer = async ({ app }: Pick<Instance, 'app'>) => {
  const id = `customer-${++customers}`
  const apiKey = await addCustomer(database, id)
  const { token, get } = await logIn(app, apiKey)
  // `no-cache` waits for the poll that sees the new key, because a new key wakes streams.
  await get('/v1/products')
  return { id, apiKey, token, get, keyId: parseApiKey(apiKey)?.keyId as string }
}
const addProduct = (customer: string, id: string) =>
  sql`insert into products (customer_id, id, name) values (${customer}, ${id}, ${id})`.execute(
    database.operator,
  )
const poll = async (url: string, token: string) => {
  const answer = await fetch(`${url}?wait=25`, { headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, body: (await answer.json()) as { code?: string } }
}
const begun = async (t: Test, url: string, token: string) => {
  const stream = await openEvents(t, url, token)
  await until('it began', () => stream.events.length === 1)
  return stream
}
const waiters = (instances: readonly Instance[]) =>
  instances.reduce((sum, { app }) => sum + app.feedWaiting.count, 0)

t.test(
  'an erased customer’s streams and polls end immediately on every instance; other customers’ continue',
  async (t) => {
    const instances = [await listen(t), await listen(t)]
    const [first] = instances as [Instance, Instance]
    const [gone, stays] = [await newCustomer(first), await newCustomer(first)]
    const streams = []
    const kept = []
    const polls = []
    for (const { app, url } of instances) {
      const { token } = await logIn(app, gone.apiKey)
      streams.push(await begun(t, url, token))
      kept.push(await begun(t, url, (await logIn(app, stays.apiKey)).token))
      polls.push(poll(url, token))
    }
    await until('all wait', () => waiters(instances) === 6)
    const startedAt = performance.now()
    await eraseCustomer(owner, gone.id)
    await Promise.all(streams.map(({ ended }) => ended))
    t.same(
      (await Promise.all(polls)).map(({ status, body }) => [status, body.code]),
      Array(2).fill([401, 'token_revoked']),
    )
    const ms = performance.now() - startedAt
    // Without the erasure, the polls would wait for 25 s.
    t.ok(ms < 15_000, `${ms.toFixed(0)} ms`)
    for (const { events } of streams) t.equal(events.length, 1, 'nothing more is sent')
    await addProduct(stays.id, 'p1')
    for (const { events } of kept)
      await until('the other customer hears of a change', () => events.length === 2)
  },
)

t.test('a key that is used from elsewhere now, or for less, ends a stream and refuses a poll', async (t) => {
  const instance = await listen(t)
  const changes: [string, number, string][] = [
    [`networks = '{203.0.113.0/24}'`, 403, 'network_not_allowed'],
    [`scopes = '{changes:read}'`, 403, 'insufficient_scope'],
    [`expires_at = now() - interval '1 second'`, 401, 'token_revoked'],
  ]
  for (const [change, status, code] of changes) {
    const { token, keyId } = await newCustomer(instance)
    const { ended, events } = await begun(t, instance.url, token)
    const waiting = poll(instance.url, token)
    await until('both wait', () => waiters([instance]) === 2)
    await sql.raw(`update api_keys set ${change} where key_id = '${keyId}'`).execute(database.operator)
    await ended
    t.equal(events.length, 1)
    const refused = await waiting
    t.same([refused.status, refused.body.code], [status, code])
  }
})

t.test('a key whose end is moved ends its stream, which would end at another time', async (t) => {
  const instance = await listen(t)
  const { token, keyId } = await newCustomer(instance)
  const { ended } = await begun(t, instance.url, token)
  await sql`update api_keys set expires_at = now() + interval '10 minutes' where key_id = ${keyId}`.execute(
    database.operator,
  )
  await ended
  t.equal((await begun(t, instance.url, token)).answer.status, 200, 'and the next one lives on')
})

t.test('another key of the customer, or other settings, end no stream', async (t) => {
  const instance = await listen(t)
  const { id, token } = await newCustomer(instance)
  const { events, ended } = await begun(t, instance.url, token)
  let hasEnded = false
  const note = () => {
    hasEnded = true
  }
  ended.then(note, () => {})
  await addCustomer(database, id)
  await sql`update customers set expiring_within = 60 where customer_id = ${id}`.execute(database.operator)
  await addProduct(id, 'p1')
  await until('it goes on', () => events.some(({ data }) => data.data.length > 0))
  t.notOk(hasEnded)
})

t.test('a revocation between the judgement and the wait is not lost', async (t) => {
  const gate = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const store: LimitStore & SlotStore = {
    exchange: async () => undefined,
    isDown: true,
    instances: 1,
    close: async () => {},
    async hold() {
      held.resolve()
      await gate.promise
      return true
    },
    release: async () => {},
  }
  const instance = await listen(t, { limitStore: store })
  const { token, keyId, get } = await newCustomer(instance)
  const stream = openEvents(t, instance.url, token)
  const waiting = poll(instance.url, token)
  // Both are authorized, and neither waits yet.
  await held.promise
  await revokeApiKey(database.operator, keyId)
  await until('the service knows', async () => (await get('/v1/products')).statusCode === 401)
  gate.resolve()
  t.equal((await stream).answer.status, 401)
  t.equal((await waiting).status, 401)
  t.equal(waiters([instance]), 0, 'and nobody waits')
})

t.test('many streams checked at the same time leave a connection to logins', async (t) => {
  const instance = await listen(t)
  const streams = []
  for (let n = 1; n <= 12; n++) {
    streams.push(await begun(t, instance.url, (await newCustomer(instance)).token))
  }
  await owner.transaction().execute(async (lock) => {
    // The lock blocks every check of rights.
    await sql`lock table api_keys in access exclusive mode`.execute(lock)
    await sql`insert into change_log (customer_id, resource, record_id) values ('*', '*', '*')`.execute(
      database.operator,
    )
    await until('rights are being read', async () => {
      // A transaction caches pg_stat_activity.
      await sql`select pg_stat_clear_snapshot()`.execute(lock)
      const { rows } = await sql<{ n: number }>`select count(*)::integer as n from pg_stat_activity
        where datname = current_database() and query like '%find_api_key%' and wait_event_type = 'Lock'`.execute(
        lock,
      )
      return rows[0]?.n === 2
    })
    await Promise.race([
      sql`select 1`.execute(database.reserved),
      new Promise((_, reject) => setTimeout(reject, 20_000, new Error('no connection is left'))),
    ])
  })
  t.pass()
})
