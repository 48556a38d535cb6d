import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import t from 'tap'
import { createDb, createPool, inTurn, readerRole } from '../../app/db/connect.ts'
import { toQueueOwner } from '../../app/limits/address.ts'
import type { Owner } from '../../app/overload/fair-queue.ts'
import { makeCertificate, openHttp2 } from '../api/sockets.ts'
import {
  addCustomer,
  closeAfter,
  createTestApp,
  createTestDatabase,
  listenTestApp,
  logIn,
  until,
} from '../helper.ts'

/** Read connections of the database. One customer can have three of them. */
const turns = 4
const turnsOfOne = 3

const database = await createTestDatabase({ longestWaitMs: 1_000 })
const { reader, reserved } = database
/** Its queue waits longer than any test takes, so that nothing is refused because the machine is slow. */
const patientReader = createDb(
  createPool(database.url, { role: readerRole, max: turns, applicationName: 'test', onError: () => {} }),
  { longestWaitMs: 60_000 },
)
const metricsToken = 'who-measures-has-this'
const keys = { flood: await addCustomer(database, 'flood'), quiet: await addCustomer(database, 'quiet') }
const start = async (reader = database.reader) => {
  const { app, origin } = await listenTestApp(
    { ...database, reader },
    { env: { METRICS_TOKEN: metricsToken } },
  )
  const tokens = { flood: (await logIn(app, keys.flood)).token, quiet: (await logIn(app, keys.quiet)).token }
  const get = (path: string, owner: keyof typeof keys, headers: Record<string, string> = {}) =>
    fetch(origin + path, { headers: { authorization: `Bearer ${tokens[owner]}`, ...headers } })
  return { app, origin, get }
}
const { app, origin, get } = await start()
const patient = await start(patientReader)
closeAfter(t, app, patient.app, patientReader, database)

/** Returns a path that was never requested. */
let asked = 0
const unknownPage = () => {
  asked += 1
  return `/v1/products?name=${asked}`
}

/** Takes a turn for each of these owners. The result gives them back. */
const holdTurns = (owners: readonly Owner[], db = reader) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = Promise.all(owners.map((owner) => inTurn(db, owner, () => promise)))
  return async () => {
    resolve()
    await held
  }
}
const everyTurn = Array.from({ length: turns }, (_, n) => `somebody ${n}`)

t.test('a hundred simultaneous cold requests of one customer are all answered', async (t) => {
  const answers = await Promise.all(Array.from({ length: 100 }, () => patient.get(unknownPage(), 'flood')))
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]))
})

t.test('every database read waits for a turn and gets 503 after the deadline', async (t) => {
  const release = holdTurns(everyTurn)
  const paths = ['/v1/products/unknown', '/v1/lab?limit=3']
  paths.push(unknownPage())
  const answers = await Promise.all(paths.map((path) => get(path, 'flood', { 'cache-control': 'no-cache' })))
  t.same(
    answers.map(({ status }) => status),
    paths.map(() => 503),
  )
  const [refused] = answers as [Response]
  t.match(await refused.json(), { code: 'overloaded', status: 503, request_id: /^[\da-f-]{36}$/ })
  t.equal(refused.headers.get('retry-after'), '1')
  t.match(refused.headers.get('content-type'), 'application/problem+json')
  await release()
  for (const path of paths.slice(1)) t.equal((await get(path, 'flood')).status, 200)
})

t.test('cached answers, /v1/me, health and logins are answered while every turn is taken', async (t) => {
  const cached = ['/v1/products', '/v1/projects?limit=1']
  for (const path of cached) t.equal((await patient.get(path, 'quiet')).status, 200)
  t.equal((await patient.get('/v1/me', 'quiet')).status, 200)
  const release = holdTurns(everyTurn, patientReader)
  const waiting = Array.from({ length: 50 }, () => patient.get(unknownPage(), 'flood'))
  const allWait = () => patientReader.queue.waiting === waiting.length
  await until('they wait', allWait)
  for (const path of [...cached, '/v1/me', '/health/live', '/health/ready'])
    t.equal((await patient.get(path, 'quiet')).status, 200, path)
  const { statusCode } = await patient.app.inject({
    method: 'POST',
    url: '/v1/auth/login',
    payload: { api_key: keys.quiet },
  })
  t.equal(statusCode, 200)
  t.ok(allWait(), 'all the while')
  await release()
  const statuses = await Promise.all(waiting.map(async (each) => (await each).status))
  t.same(new Set(statuses), new Set([200]))
})

t.test('a customer with slow reads leaves a turn for another customer', async (t) => {
  const release = holdTurns(
    Array.from({ length: 10 }, () => 'flood'),
    patientReader,
  )
  const othersWait = () => patientReader.queue.waiting === 10 - turnsOfOne
  t.ok(othersWait())
  t.equal((await patient.get(unknownPage(), 'quiet')).status, 200)
  t.ok(othersWait(), 'all the while')
  await release()
})

t.test('a request that joins the read of an earlier one waits for the whole deadline', async (t) => {
  // Connections without an earlier refusal, because a repeat within a second is held.
  const { app, get } = await start()
  t.teardown(() => app.close())
  const release = holdTurns(everyTurn)
  const path = unknownPage()
  const first = get(path, 'flood')
  await until('it waits', () => reader.queue.waiting === 1)
  const joined = performance.now()
  const second = get(path, 'flood')
  t.equal((await first).status, 503)
  await release()
  t.equal((await second).status, 200, `${performance.now() - joined} ms after it came`)
})

t.test('login attempts of one address leave a connection to other addresses', async (t) => {
  const release = holdTurns(['127.0.0.11'], reserved)
  const logInFrom = (remoteAddress: string) =>
    app.inject({
      method: 'POST',
      url: '/v1/auth/login',
      payload: { api_key: keys.quiet },
      remoteAddress,
    })
  const refused = logInFrom('127.0.0.11')
  t.equal((await logInFrom('127.0.0.12')).statusCode, 200)
  const { statusCode, headers } = await refused
  t.same([statusCode, headers['retry-after']], [503, '1'])
  await release()
  t.equal((await logInFrom('127.0.0.11')).statusCode, 200)
})

t.test('addresses of one IPv6 network share a turn', async (t) => {
  const network = '2001:db8:0:1::'
  const release = holdTurns([toQueueOwner(`${network}1`)], reserved)
  const proxied = await createTestApp(database, { origin, env: { TRUSTED_PROXIES: '127.0.0.1' } })
  t.teardown(() => proxied.close())
  const logInFrom = async (address: string) => {
    const answer = await proxied.inject({
      method: 'POST',
      url: '/v1/auth/login',
      headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
      payload: { api_key: keys.quiet },
    })
    return answer.statusCode
  }
  const held = logInFrom(`${network}2`)
  t.equal(await logInFrom('2001:db8:0:2::2'), 200)
  t.equal(await held, 503)
  await release()
})

t.test('logins with missing bodies delay no other request', async (t) => {
  const { port, hostname } = new URL(patient.origin)
  const sockets = Array.from({ length: 200 }, () => {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.write(
      'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    )
    return socket
  })
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  t.equal((await logIn(patient.app, keys.quiet)).token.split('.').length, 3)
  const answers = await Promise.all(Array.from({ length: 20 }, () => patient.get(unknownPage(), 'quiet')))
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]))
})

t.test('two hundred streams of one HTTP/2 connection on a cached page are all answered', async (t) => {
  const { key: TLS_KEY, cert: TLS_CERT, remove } = makeCertificate()
  const secure = await createTestApp(database, { env: { TLS_KEY, TLS_CERT } })
  const port = Number(new URL(await secure.listen({ host: '127.0.0.1', port: 0 })).port)
  const session = openHttp2(port)
  t.teardown(async () => {
    session.close()
    await secure.close()
    remove()
  })
  const { token } = await logIn(secure, keys.quiet)
  const ask = () => session.ask({ ':path': '/v1/products', authorization: `Bearer ${token}` })
  t.equal((await ask()).status, 200)
  const release = holdTurns(everyTurn)
  const answers = await Promise.all(Array.from({ length: 200 }, ask))
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]))
  await release()
})
