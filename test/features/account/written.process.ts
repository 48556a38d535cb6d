import { sql } from 'kysely'
import t from 'tap'
import { writeSeconds } from '../../../app/features/account/usage.ts'
import { addCustomer, closeAfter, createTestDatabase, secretKey, until } from '../../helper.ts'
import { logInTo, startService, untilReady } from '../../service.ts'

t.test('a service that stops writes the counts of all its processes', async (t) => {
  const database = await createTestDatabase()
  closeAfter(t, database)
  const apiKey = await addCustomer(database, 'acme')
  const service = await startService({
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    WEB_CONCURRENCY: '2',
  })
  t.teardown(() => service.stop('SIGKILL'))
  await untilReady(service)
  const headers = { ...(await logInTo(service, apiKey)), connection: 'close' }
  // Each request opens a connection, and the kernel spreads these over the processes.
  for (let n = 0; n < 40; n++) {
    const answer = await fetch(`${service.base}/v1/products?limit=1`, { headers })
    t.equal(answer.status, 200)
    await answer.arrayBuffer()
  }
  t.equal(await service.stop('SIGTERM'), 0)
  const { rows } = await sql`select endpoint, requests from usage_days where customer_id = 'acme'`.execute(
    database.operator,
  )
  t.same(rows, [{ endpoint: '/v1/products', requests: 40 }])
})

/** In this process, the time between two writes passes in a fraction of a second. */
const quickWrites = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    const wait = globalThis.setTimeout
    globalThis.setTimeout = (call, ms, ...given) => wait(call, ms === ${writeSeconds * 1_000} ? 200 : ms, ...given)`)}`,
]

t.test('SIGKILL loses the requests since the last write and no others, and the answer says so', async (t) => {
  const database = await createTestDatabase()
  closeAfter(t, database)
  const apiKey = await addCustomer(database, 'killed', { scopes: ['*', 'account:read'] })
  const readStored = async () => {
    const { rows } = await sql<{ requests: number }>`
      select requests from usage_days where customer_id = 'killed' and endpoint = '/v1/products'`.execute(
      database.operator,
    )
    return Number(rows[0]?.requests ?? 0)
  }
  const start = async (execArgv: string[]) => {
    const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey, WEB_CONCURRENCY: '1' }
    const service = await startService(env, { execArgv })
    t.teardown(() => service.stop('SIGKILL'))
    await untilReady(service)
    const headers = await logInTo(service, apiKey)
    const read = async (path: string) => (await fetch(`${service.base}${path}`, { headers })).json()
    const ask = async (count: number) => {
      for (let n = 0; n < count; n++) await read('/v1/products?limit=1')
    }
    return { service, read, ask }
  }
  const first = await start(quickWrites)
  await first.ask(5)
  await until('a minute has passed', async () => (await readStored()) === 5)
  await first.ask(4)
  await until('another minute has passed', async () => (await readStored()) === 9)
  await first.ask(3)
  await first.service.stop('SIGKILL')
  const kept = await readStored()
  t.ok(kept >= 9 && kept <= 12, `${kept} of 12: only requests since the last write are lost`)

  const second = await start([])
  await second.ask(4)
  const { data, counted } = (await second.read('/v1/me/usage')) as {
    data: { endpoint: string; requests: number }[]
    counted: object
  }
  t.match(
    data.filter(({ endpoint }) => endpoint === '/v1/products'),
    [{ requests: kept }],
    'no restart adds or loses a written request',
  )
  t.match(counted, { write_seconds: 60, note: /If a process is killed, its last minute is missing/ })
  await second.service.stop('SIGKILL')
  t.equal(await readStored(), kept, 'the 4 requests of the last minute are lost')
})
