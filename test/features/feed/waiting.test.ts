import { once } from 'node:events'
import { connect, constants } from 'node:http2'
import { sql } from 'kysely'
import t from 'tap'
import { createDb, createPool, inTurn, readerRole } from '../../../app/db/connect.ts'
import { parseApiKey } from '../../../app/identity/api-keys.ts'
import { makeCertificate } from '../../api/sockets.ts'
import {
  addCustomer,
  asCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  listenTestApp,
  until,
} from '../../helper.ts'
import { countWaiters } from './count-waiters.ts'

/** Waiting clients hold no connection and no place, and lose their rights like others. */

const database = await createTestDatabase({ longestWaitMs: 1_000 })
closeAfter(t, database)
const turns = 4

t.test('a read waits for a turn and gets 503 after the deadline', async (t) => {
  const app = await createTestApp(database)
  closeAfter(t, app)
  const { get } = await asCustomer(database, app, 'refused')
  const { promise, resolve } = Promise.withResolvers<void>()
  const owners = Array.from({ length: turns }, (_, n) => `somebody ${n}`)
  const held = Promise.all(owners.map((owner) => inTurn(database.reader, owner, () => promise)))
  const answers = await Promise.all(['/v1/changes', '/v1/changes?wait=25'].map((path) => get(path)))
  t.match(
    answers.map((answer) => answer.json()),
    [{ code: 'overloaded' }, { code: 'overloaded' }],
  )
  resolve()
  await held
  t.equal((await get('/v1/changes')).statusCode, 200)
})

t.test('a long poll that waits for changes holds no turn', async (t) => {
  const reader = createDb(
    createPool(database.url, { role: readerRole, max: turns, applicationName: 'test', onError: () => {} }),
    { longestWaitMs: 60_000 },
  )
  const app = await createTestApp({ ...database, reader })
  closeAfter(t, app, reader)
  const { get } = await asCustomer(database, app, 'flood')
  const { next_token: token } = (await get('/v1/changes')).json().page
  const polls = Array.from({ length: turns + 2 }, () => get(`/v1/changes?wait=25&after=${token}`))
  await until('all wait at once', async () => (await countWaiters(app)) === polls.length)
  t.equal((await get('/v1/products?name=unread')).statusCode, 200)
  t.equal(await countWaiters(app), polls.length, 'all the while')
  await sql`insert into products (customer_id, id, name) values ('flood', 'p', 'p')`.execute(
    database.operator,
  )
  for (const poll of polls) t.equal((await poll).statusCode, 200)
})

t.test('a stream that its client resets before it waits frees its place', async (t) => {
  const [asked, answered, released] = [1, 2, 3].map(() => Promise.withResolvers<void>())
  const { key: TLS_KEY, cert: TLS_CERT, remove } = makeCertificate()
  const app = await createTestApp(database, {
    env: { TLS_KEY, TLS_CERT },
    limitStore: {
      exchange: async () => undefined,
      isDown: true,
      instances: 1,
      close: async () => {},
      async hold() {
        asked?.resolve()
        await answered?.promise
        return true
      },
      release: async () => released?.resolve(),
    },
  })
  const { token } = await asCustomer(database, app, 'reset')
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
  session.on('error', () => {})
  t.teardown(async () => {
    session.destroy()
    await app.close()
    remove()
  })
  const stream = session.request({ ':path': '/v1/changes?wait=25', authorization: `Bearer ${token}` })
  stream.on('error', () => {})
  await asked?.promise
  stream.close(constants.NGHTTP2_CANCEL)
  await once(stream, 'close')
  // The server reads the frames of a connection in order.
  await new Promise((resolve) => session.ping(resolve))
  answered?.resolve()
  await released?.promise
  await until('nothing waits', async () => (await countWaiters(app)) === 0)
})

/** The first poll of an instance may end early, when this instance sees the creation of the key. */
const pollUntilRefused = async (origin: string, headers: Record<string, string>) => {
  for (;;) {
    const answer = await fetch(`${origin}/v1/changes?wait=25`, { headers })
    if (answer.status !== 200) return answer
    await answer.text()
  }
}

t.test('a change of networks ends long polls and streams on every instance', async (t) => {
  const env = { TRUSTED_PROXIES: '127.0.0.1,::1' }
  const instances = [await listenTestApp(database, { env }), await listenTestApp(database, { env })]
  t.teardown(async () => {
    for (const { app } of instances) await app.close()
  })
  for (const [address, customer] of [
    ['203.0.113.5', 'of-ipv4'],
    ['2001:db8::9', 'of-ipv6'],
  ] as const) {
    const apiKey = await addCustomer(database, customer)
    const setNetworks = (...networks: string[]) =>
      sql`update api_keys set networks = ${networks}::cidr[] where key_id = ${parseApiKey(apiKey)?.keyId}`.execute(
        database.operator,
      )
    await setNetworks('203.0.113.0/24', '2001:db8::/32')
    const from = { 'x-forwarded-proto': 'https', 'x-forwarded-for': address }
    const clients = await Promise.all(
      instances.map(async ({ app, origin }) => {
        const payload = { api_key: apiKey }
        const answer = await app.inject({ method: 'POST', url: '/v1/auth/login', payload, headers: from })
        return { origin, headers: { ...from, authorization: `Bearer ${answer.json().access_token}` } }
      }),
    )
    const waiting = clients.flatMap(({ origin, headers }) => [
      pollUntilRefused(origin, headers),
      fetch(`${origin}/v1/changes`, { headers: { ...headers, accept: 'text/event-stream' } }),
    ])
    await until('all wait', async () =>
      (await Promise.all(instances.map(({ app }) => countWaiters(app)))).every((count) => count === 2),
    )
    await setNetworks('198.51.100.0/24')
    for (const { origin, headers } of clients) {
      const isRefused = async () => (await fetch(`${origin}/v1/products`, { headers })).status === 403
      await until('refused', isRefused)
    }
    for (const answer of waiting) await (await answer).text()
  }
})
