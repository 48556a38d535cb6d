import { once } from 'node:events'
import { connect } from 'node:http2'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import {
  addCustomer,
  asCustomer,
  createTestApp,
  createTestDatabase,
  listenTestApp,
  secretKey,
  until,
} from '../../helper.ts'
import { selfSigned } from '../../self-signed.ts'
import { startService, untilReady } from '../../service.ts'
import { type Event, openEvents, readEvents } from './event-stream.ts'
import { createStage } from './stage.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())

const { addProduct } = createStage(database)
const listIds = ({ data }: Event) => data.data.map(({ id }) => id)

/** The median of nine durations, because single ones suffer on a busy machine. */
const medianMs = async (act: () => Promise<unknown>): Promise<number> => {
  const took: number[] = []
  for (let round = 0; round < 9; round++) {
    const startedAt = performance.now()
    await act()
    took.push(performance.now() - startedAt)
  }
  return took.toSorted((a, b) => a - b)[4] as number
}

t.test('a change ends a long poll within a second, and reaches a stream within two', async (t) => {
  const { app, origin } = await listenTestApp(database)
  t.teardown(async () => {
    app.server.closeAllConnections()
    await app.close()
  })
  const { token, get } = await asCustomer(database, app, 'timed')
  const stream = await openEvents(t, `${origin}/v1/changes`, token)
  await until('it began', () => stream.events.length === 1)
  let products = 0
  const overStream = await medianMs(async () => {
    await addProduct('timed', `p${++products}`)
    await until('the change', () => stream.events.length === 1 + products)
  })
  t.ok(overStream < 2_000, `${overStream.toFixed(0)} ms`)
  let after = (await get('/v1/changes')).json().page.next_token
  const overPoll = await medianMs(async () => {
    const waiting = get(`/v1/changes?after=${after}&wait=25`)
    await addProduct('timed', `p${++products}`)
    after = (await waiting).json().page.next_token
  })
  t.ok(overPoll < 1_000, `${overPoll.toFixed(0)} ms`)
})

t.test('a poll with changes, a HEAD request and the end of the service do not wait', async (t) => {
  const app = await createTestApp(database)
  const { token, get } = await asCustomer(database, app, 'quick')
  const after = (await get('/v1/changes')).json().page.next_token
  const headers = { authorization: `Bearer ${token}` }
  const startedAt = performance.now()
  await app.inject({ method: 'HEAD', url: `/v1/changes?after=${after}&wait=25`, headers })
  await addProduct('quick', 'p1')
  const { data, page } = (await get(`/v1/changes?after=${after}&wait=25`)).json()
  t.equal(data.length, 1)
  const waiting = get(`/v1/changes?after=${page.next_token}&wait=25`)
  await get('/v1/products')
  await app.close()
  t.equal((await waiting).json().page.next_token, page.next_token)
  t.ok(performance.now() - startedAt < 15_000, 'instead of 25 s')
})

t.test('after an instance is killed, another one continues from the last id', async (t) => {
  const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey, PUBLIC_URL: 'http://localhost:1' }
  const services = await Promise.all([startService(env), startService(env)])
  const [first, second] = services as [(typeof services)[0], (typeof services)[0]]
  t.teardown(() => Promise.all(services.map((service) => service.stop('SIGKILL'))))
  await Promise.all(services.map(untilReady))
  const id = 'acme'
  const apiKey = await addCustomer(database, id)
  const login = await fetch(`${first.base}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  })
  const { access_token: token } = (await login.json()) as { access_token: string }
  const stream = await openEvents(t, `${first.base}/v1/changes`, token)
  await until('it began', () => stream.events.length === 1)
  const writing = (async () => {
    for (let n = 1; n <= 60; n++) await addProduct(id, `p${n}`)
  })()
  await until('some arrive', () => stream.events.flatMap(listIds).length >= 5)
  await first.stop('SIGKILL')
  await t.rejects(stream.ended)
  await writing
  const last = stream.events.at(-1)?.id ?? ''
  const again = await openEvents(t, `${second.base}/v1/changes`, token, { 'last-event-id': last })
  const seen = () => new Set([...stream.events, ...again.events].flatMap(listIds))
  await until('all have arrived', () => seen().size === 60)
  t.equal(seen().size, 60)
})

t.test('a draining process ends long polls and streams over HTTP/2', async (t) => {
  const files = selfSigned(t)
  const service = await startService({
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    TLS_CERT: files.cert,
    TLS_KEY: files.key,
    DRAIN_SECONDS: '0',
  })
  t.teardown(() => service.stop('SIGKILL'))
  await service.printed(/listening at/i)
  const session = connect(`https://localhost:${service.port}`, { rejectUnauthorized: false })
  session.on('error', () => {})
  t.teardown(() => session.destroy())
  const id = 'bolt'
  const apiKey = await addCustomer(database, id)
  const login = session.request({
    ':method': 'POST',
    ':path': '/v1/auth/login',
    'content-type': 'application/json',
  })
  login.end(JSON.stringify({ api_key: apiKey }))
  const { access_token } = JSON.parse((await login.setEncoding('utf8').toArray()).join(''))
  const fields = { authorization: `Bearer ${access_token}`, accept: 'text/event-stream' }
  const openStream = () => session.request({ ':path': '/v1/changes', ...fields })
  let stream = openStream()
  // On a busy machine, a late poll gives 503 for a moment.
  await until('it is open', async () => {
    const [{ ':status': status }] = await once(stream, 'response')
    if (status === 200) return true
    stream.close()
    await delay(100)
    stream = openStream()
    return false
  })
  const { events, ended } = readEvents(stream)
  await until('it began', () => events.length === 1)
  await addProduct(id, 'p1')
  await until('the change', () => events.length === 2)
  const stopped = service.stop()
  await ended
  t.equal(stream.rstCode, 0, 'ended, not reset')
  t.equal(await stopped, 0)
})
