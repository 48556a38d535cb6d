import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as request1 } from 'node:http'
import type { Socket } from 'node:net'
import pg from 'pg'
import t, { type Test } from 'tap'
import {
  addCustomer,
  createTestDatabase,
  listenTestApp,
  logIn,
  type TestAppOptions,
  until,
} from '../helper.ts'

// A database with long lists, and a service whose exports a test watches.

/** 16 MB, more than the buffers of sockets hold. */
export const records = 8_000
export const rowBytes = 2_000

export const database = await createTestDatabase()
export const client = new pg.Client({ connectionString: database.url })
await client.connect()
/** For transactions, in which pg_stat_activity would not change. */
export const writer = new pg.Client({ connectionString: database.url })
await writer.connect()
t.teardown(async () => {
  await client.end()
  await writer.end()
  await database.close()
})
await addCustomer(database, 'acme')
export const insertProducts = `insert into products (customer_id, id, name, brand)
  select 'acme', 'p' || i, 'Product ' || i, repeat('x', ${rowBytes}) from generate_series(1, ${records}) i`
await client.query(insertProducts)
// Rows that do not compress: others are read to their end before the first compressed byte is sent.
await addCustomer(database, 'dense')
await client.query(`insert into products (customer_id, id, name, brand)
  select 'dense', 'p' || i, 'Product ' || i,
    (select string_agg(md5(i || '.' || n), '') from generate_series(0, ${rowBytes} / 32) n)
  from generate_series(1, ${records}) i`)

/** Connections of running exports. */
export const running = async () =>
  (
    await client.query<{ pid: number; event: string | null }>(`
      select pid, wait_event as event from pg_stat_activity where datname = current_database()
        and application_name = 'test exports' and state <> 'idle'`)
  ).rows
/** Resolves when PostgreSQL has waited for the service for 0.3 s. */
export const clientIsAwaited = () =>
  until('PostgreSQL waits for the client', async () => {
    const { rows } = await client.query(`
      select from pg_stat_activity where datname = current_database() and application_name = 'test exports'
        and wait_event = 'ClientRead' and state <> 'idle' and state_change < clock_timestamp() - interval '0.3 s'`)
    return rows.length > 0
  })
/** Within 15 s: an export without a sign of its client ends after a minute. */
export const allOver = (what = 'no export holds a connection') =>
  until(what, async () => (await running()).length === 0, 15_000)

/** Starts a service that counts the bytes that exports read from PostgreSQL. */
export const start = async (t: Test, env: Record<string, string> = {}, options: TestAppOptions = {}) => {
  const sockets = new Set<Socket>()
  const wrapExports = (pool: pg.Pool) => ({
    connect: async () => {
      const connected = await pool.connect()
      sockets.add((connected as unknown as { connection: { stream: Socket } }).connection.stream)
      return connected
    },
  })
  const { app, origin } = await listenTestApp(database, {
    env,
    wrapExports: wrapExports as NonNullable<TestAppOptions['wrapExports']>,
    ...options,
  })
  t.teardown(() => app.close())
  const readToken = async (name: string) => (await logIn(app, await addCustomer(database, name))).token
  const token = await readToken('acme')
  const send = (path = '/v1/products?format=ndjson', bearer = token, more = {}): ClientRequest => {
    const headers = { authorization: `Bearer ${bearer}`, ...more }
    const sent = request1({ port: new URL(origin).port, host: 'localhost', path, headers }).end()
    return sent.on('error', () => {})
  }
  const ask = async (...asked: Parameters<typeof send>) => {
    const sent = send(...asked)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { sent, response }
  }
  const bytesRead = () => [...sockets].reduce((sum, socket) => sum + socket.bytesRead, 0)
  return { app, origin, token, readToken, send, ask, bytesRead }
}

export const terminate = async () => {
  for (const { pid } of await running()) await client.query('select pg_terminate_backend($1)', [pid])
}
