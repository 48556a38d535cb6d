import { webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import {
  createClient,
  ProblemError,
  verifyWebhook,
  type WebhookMessage,
} from '../../clients/typescript/src/index.ts'
import { listen } from '../../clients/typescript/src/listen.ts'
import { pretendRestore } from '../features/feed/follower.ts'
import { addSigningClient, algorithms } from '../features/oauth/signing-client.ts'
import { addCustomer, closeAfter, createTestDatabase, listenTestApp, until } from '../helper.ts'
import { freePort } from '../servers.ts'

const database = await createTestDatabase()
const { operator } = database
const { app, origin } = await listenTestApp(database)
closeAfter(t, app, database)

const collect = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}
const addProducts = (customer: string, count: number) =>
  sql`insert into products (customer_id, id, name, brand)
    select ${customer}, 'p' || i, 'Product ' || i, 'Acme' from generate_series(1, ${count}) i`.execute(
    operator,
  )
const rename = (customer: string, id: string, name: string) =>
  sql`update products set name = ${name} where customer_id = ${customer} and id = ${id}`.execute(operator)
const today = () => new Date().toISOString().slice(0, 10)

t.test(
  'reads the history of a record and of all records by pages, and a record of an earlier day',
  async (t) => {
    const client = createClient({ url: origin, apiKey: await addCustomer(database, 'historian') })
    await addProducts('historian', 3)
    for (const name of ['One', 'Two', 'Three']) await rename('historian', 'p1', name)
    const names = (await collect(client.history('products', 'p1', { limit: 2 }))).map(
      ({ op, changes }) => `${op} ${changes.name?.to}`,
    )
    t.same(names, ['update Three', 'update Two', 'update One', 'create Product 1'])
    const all = await collect(client.historyOfAll({ resource: ['products'], since: 'today-1d', limit: 2 }))
    t.equal(all.length, 6)
    t.same(await collect(client.historyOfAll({ resource: 'certificates' })), [])
    t.same(await collect(client.historyOfAll({ since: 'today+1d' })), [])
    const { data } = await client.get('products', 'p1', { as_of: today() })
    t.equal(data.name, 'Three')
    const before = client.get('products', 'p1', { as_of: '2001-01-01' })
    const refused = await before.catch((error: unknown) => (error as ProblemError).code)
    t.ok(refused === 'before_history' || refused === 'not_found', String(refused))
  },
)

t.test('reads the feed by pages, with a filter, fields and previous values', async (t) => {
  const client = createClient({ url: origin, apiKey: await addCustomer(database, 'follower') })
  await addProducts('follower', 4)
  const query = { resources: ['products'], brand: 'Acme', fields: ['name'], limit: 2, previous: true }
  const first = await collect(client.changes(query))
  t.same(
    first.map(({ data }) => data),
    [[]],
  )
  const after = first[0]?.page.next_token as string
  await rename('follower', 'p1', 'Other')
  await sql`update products set brand = 'x' where customer_id = 'follower' and id in ('p2', 'p3')`.execute(
    operator,
  )
  await client.get('products', 'p1', {}, { fresh: true })
  const pages = await collect(client.changes({ ...query, after }))
  const changes = pages.flatMap(({ data }) => data)
  t.match(
    changes.find(({ id }) => id === 'p1'),
    { op: 'upsert', changed: ['name'], previous: { name: 'Product 1' }, data: { id: 'p1', name: 'Other' } },
  )
  t.match(
    changes.filter(({ op }) => op === 'delete').map(({ id, cause }) => `${id} ${cause}`),
    ['p2 filter', 'p3 filter'],
  )
  t.ok(pages.length > 1)
  await t.rejects(collect(client.changes({ after: 'snapshot' })), /use follow or catchUp/)
})

t.test('catchUp updates a filtered copy, and refuses a token of another filter', async (t) => {
  const client = createClient({ url: origin, apiKey: await addCustomer(database, 'copier') })
  await addProducts('copier', 3)
  const copy = new Map<string, object>()
  let token: string | undefined
  const store = {
    loadToken: async () => token,
    async replaceAll(state: AsyncIterable<{ id: string; data: object | null }>, next: string) {
      for await (const { id, data } of state) copy.set(id, data as object)
      token = next
    },
    async apply(changes: readonly { op: string; id: string; data: object | null }[], next: string) {
      for (const { op, id, data } of changes) op === 'delete' ? copy.delete(id) : copy.set(id, data as object)
      token = next
    },
  }
  const options = { resources: ['products'] as const, filter: { brand: 'Acme' }, fields: ['name'] }
  await client.catchUp(store, options)
  t.equal(copy.size, 3)
  t.same(copy.get('p1'), { id: 'p1', name: 'Product 1' })
  await sql`update products set brand = 'x' where customer_id = 'copier' and id = 'p2'`.execute(operator)
  await client.get('products', 'p1', {}, { fresh: true })
  await client.catchUp(store, options)
  t.same([...copy.keys()].sort(), ['p1', 'p3'])
  const other = client.catchUp(store, { ...options, filter: { brand: 'Other' } })
  t.equal(await other.catch(({ code }) => code), 'invalid_sync_token')
})

t.test('lists the audit trail, and continues after the newest known entry', async (t) => {
  const apiKey = await addCustomer(database, 'auditor', { scopes: ['products:read', 'audit:read'] })
  const client = createClient({ url: origin, apiKey })
  const seal = async () => {
    await app.audit.flush()
    await app.audit.seal(true)
  }
  const read = async (after: number) => {
    const entries = await collect(client.exportAudit({ after }))
    return entries.map(({ entry }) => entry.number)
  }
  await client.list('products')
  await seal()
  const known = await read(0)
  const newest = known[0] as number
  t.ok(newest >= 2)
  t.same(
    (await collect(client.audit({ limit: 1 }))).map(({ entry }) => entry.number),
    known,
  )
  t.same(await collect(client.audit({ action: 'login', outcome: 'refused' })), [])
  await client.list('products', { limit: 7 })
  await seal()
  const later = await read(newest)
  t.ok(later.length > 0)
  t.same(
    later,
    Array.from(later, (_, i) => newest + later.length - i),
  )
})

t.test('a client that signs logs in with a new assertion at each attempt', async (t) => {
  for (const alg of algorithms) {
    const { id: clientId, privateKey } = await addSigningClient(database, { alg })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const ids: string[] = []
    /** Loses the answer to the first assertion, which the service has accepted. */
    const losing: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      if (!String(input).endsWith('/v1/oauth/token')) return answer
      const jwt = new URLSearchParams(String(init?.body)).get('client_assertion') ?? ''
      ids.push(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).jti)
      if (ids.length === 1) throw new TypeError('the connection broke')
      return answer
    }
    const client = createClient({
      url: origin,
      clientId,
      privateKey: pem,
      fetch: losing,
      retry: { firstDelayMs: 1 },
    })
    t.same((await client.list('products')).data, [], alg)
    await client.list('products', { limit: 1 })
    t.equal(new Set(ids).size, 2, 'no further login')
  }
})

t.test('a client signs with a WebCrypto key, by its name, and a foreign key is refused', async (t) => {
  const { id: clientId, privateKey } = await addSigningClient(database, { alg: 'ES256', kid: 'k1' })
  const curve = { name: 'ECDSA', namedCurve: 'P-256' }
  const jwk = privateKey.export({ format: 'jwk' })
  const key = await webcrypto.subtle.importKey('jwk', jwk, curve, false, ['sign'])
  const client = createClient({
    url: origin,
    clientId,
    privateKey: key,
    kid: 'k1',
    audience: `${origin}/v1/oauth/token`,
  })
  t.same((await client.list('products')).data, [])
  const stranger = await addSigningClient(database, { alg: 'ES256' })
  const pem = stranger.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const refused = await createClient({ url: origin, clientId, privateKey: pem })
    .me()
    .catch((error: unknown) => error)
  t.ok(refused instanceof ProblemError)
  t.match(refused, { code: 'invalid_client', status: 401, message: /did not sign/ })
  const wrong = createClient({ url: origin, clientId, privateKey: 'no key' })
  await t.rejects(wrong.me(), /BEGIN PRIVATE KEY/)
})

/** Starts `listen`, and a receiver that verifies each message with the printed key. */
const startListening = async (t: Test, customer: string, answer: (n: number) => number) => {
  const client = createClient({ url: origin, apiKey: await addCustomer(database, customer) })
  const lines: string[] = []
  const received: WebhookMessage[] = []
  const receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    const jwk = lines.find((line) => line.includes('JSON Web Key'))?.replace(/^.*?: /, '') ?? ''
    received.push(await verifyWebhook({ headers: request.headers, body, keys: [JSON.parse(jwk)] }))
    response.writeHead(answer(received.length), { 'retry-after': '0' }).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const stopping = new AbortController()
  const ended = listen({
    client,
    signal: stopping.signal,
    log: (line: string) => void lines.push(line),
    forward: `http://localhost:${(receiver.address() as AddressInfo).port}/hook`,
    retries: { firstDelayMs: 1, longestDelayMs: 4, giveUpMs: 300_000 },
  }).catch((error: unknown) => error as Error)
  t.teardown(() => {
    stopping.abort()
    receiver.close()
  })
  return { client, lines, received, ended, stop: () => stopping.abort() }
}

t.test('listen sends a test and signed messages whose token leads to the changes', async (t) => {
  const { client, lines, received, ended, stop } = await startListening(t, 'listener', (n) =>
    n === 2 ? 500 : 204,
  )
  await until('the test message', () => received.length === 1)
  t.match(received[0], { type: 'webhook.test', data: { resources: /./ } })
  await addProducts('listener', 2)
  await until('the failed message is repeated', () => received.length === 3)
  const [, failed, repeated] = received
  t.same(repeated, failed, 'under the same id')
  t.match(repeated, { type: 'changes.available', data: { resources: ['products'] } })
  const pages = await collect(client.changes({ after: repeated?.data.after as string }))
  t.same(pages.flatMap(({ data }) => data.map(({ id }) => id)).sort(), ['p1', 'p2'])
  t.match(lines[0], /^Public key: whpk_[A-Za-z0-9+/]{43}=$/)
  t.match(lines.at(-2), /: 500, again in 0\.001 s$/)
  t.match(lines.at(-1), /^changes\.available msg_\S+ \(products\): 204$/)
  await pretendRestore(t, database.url)
  await until('the feed refuses the token', () => received.at(-1)?.data.after === 'snapshot')
  stop()
  t.match(await ended, { name: 'AbortError' })
})

t.test('listen ends after 410, and refuses other machines before it sends anything', async (t) => {
  const { received, ended } = await startListening(t, 'refuser', () => 410)
  t.match(await ended, { message: /^webhook\.test .*: 410\. The service would disable the webhook$/ })
  t.equal(received.length, 1)
  const client = createClient({ url: origin, token: 'x', fetch: () => t.fail('sends nothing') as never })
  for (const forward of [
    'http://example.com/hook',
    'http://localhost.example.com/hook',
    'http://10.0.0.1/hook',
    'http://127.0.0.1@example.com/hook',
    'http://me@localhost/hook',
    'http://[::ffff:10.0.0.1]/hook',
    'ftp://localhost/hook',
    'localhost:8080/hook',
    '/hook',
    '',
  ]) {
    await t.rejects(listen({ client, forward, log: () => {} }), /is not an address of this machine/, forward)
  }
})

t.test('listen gives up if the receiver fails for too long', async (t) => {
  const client = createClient({ url: origin, apiKey: await addCustomer(database, 'unreachable') })
  const retries = { firstDelayMs: 1, longestDelayMs: 1, giveUpMs: 0 }
  const forward = `http://127.0.0.1:${await freePort()}/hook`
  await t.rejects(
    listen({ client, forward, log: () => {}, retries }),
    /ECONNREFUSED.*would disable the webhook/,
  )
})
