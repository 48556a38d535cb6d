import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import t, { type Test } from 'tap'
import { listEntries } from '../../app/audit/list.ts'
import { createTarpit, maxHeld } from '../../app/overload/tarpit.ts'
import { addCustomer, createTestDatabase, listenTestApp, logIn, type TestClock, until } from '../helper.ts'

/** A tarpit whose time passes when it is told to. */
const start = (startMs = 1_000) => {
  let nowMs = startMs
  const timers: { atMs: number; call: () => void }[] = []
  const tarpit = createTarpit({
    now: () => nowMs,
    after: (ms, call) => timers.push({ atMs: nowMs + ms, call }),
  })
  const pass = (ms: number) => {
    const endMs = nowMs + ms
    for (;;) {
      timers.sort((a, b) => a.atMs - b.atMs)
      if ((timers[0]?.atMs ?? Number.POSITIVE_INFINITY) > endMs) break
      const { atMs, call } = timers.shift() as (typeof timers)[number]
      nowMs = atMs
      call()
    }
    nowMs = endMs
  }
  return { tarpit, pass, now: () => nowMs, timers }
}

t.test('who is refused no more than twice as often as it may ask waits for nothing', async (t) => {
  const { tarpit, pass } = start()
  const who = {}
  for (let second = 0; second < 5; second += 1) {
    for (let n = 0; n < 18; n += 1) {
      t.notOk(tarpit.hold(who, 10, () => t.fail('it was not held')))
      pass(56)
    }
  }
})

t.test('who is refused more often waits the longer, to a bound; others do not', async (t) => {
  const { tarpit, pass, now, timers } = start()
  const [flood, quiet] = [{}, {}]
  const waitsMs: number[] = []
  for (let n = 0; n < 200; n += 1) {
    const heldAt = now()
    if (tarpit.hold(flood, 10, () => waitsMs.push(now() - heldAt))) t.ok(n >= 20)
    else t.ok(n < 20)
  }
  t.notOk(tarpit.hold(quiet, 10, () => {}))
  t.equal(tarpit.held, 180)
  pass(240)
  t.same(waitsMs, [])
  pass(1_030)
  t.equal(tarpit.held, 0)
  t.equal(waitsMs.length, 180)
  t.same(
    waitsMs,
    [...waitsMs].sort((a, b) => a - b),
    'in the order of coming',
  )
  t.ok(
    (waitsMs[0] as number) >= 250 &&
      (waitsMs[0] as number) <= 300 &&
      (waitsMs.at(-1) as number) >= 1_000 &&
      (waitsMs.at(-1) as number) <= 1_025,
    `${waitsMs[0]} to ${waitsMs.at(-1)} ms`,
  )
  t.equal(timers.length, 0, 'nothing wakes up for nobody')
  pass(2_000)
  t.notOk(
    tarpit.hold(flood, 10, () => {}),
    'forgotten after a while',
  )
})

t.test('of the second before counts what still lies within a second, and nothing older', async (t) => {
  const { tarpit, pass } = start()
  const who = {}
  const refuse = (times: number) => Array.from({ length: times }, () => tarpit.hold(who, 10, () => {}))
  refuse(1)
  pass(900)
  t.notOk(refuse(14).includes(true))
  pass(200)
  t.same(refuse(7), [...Array(6).fill(false), true], 'nine tenths of fifteen, and seven')
  pass(10_000)
  t.same(refuse(21), [...Array(20).fill(false), true])
})

t.test('how long the service has been up costs nothing', async (t) => {
  // A look at each tick until now would take minutes.
  const { tarpit, pass } = start(1e12)
  let released = 0
  for (let n = 0; n < 3; n += 1) {
    t.ok(
      tarpit.hold({}, 0.1, () => {
        released += 1
      }),
    )
    pass(1e12)
    t.equal(released, n + 1)
  }
})

t.test('what is held is bounded, for each and for all; what is more is sent at once', async (t) => {
  const { tarpit } = start()
  const hold = (who: object) => tarpit.hold(who, 0.1, () => {})
  const first = {}
  for (let n = 0; n < maxHeld.ofOne; n += 1) t.ok(hold(first))
  t.notOk(hold(first))
  while (tarpit.held < maxHeld.inAll) t.ok(hold({}))
  t.notOk(hold({}))
})

t.test(
  'where the process is late, whoever would take a place that is not empty yet is sent away at once',
  (t) => {
    let nowMs = 1_000
    const timers: (() => void)[] = []
    const tarpit = createTarpit({ now: () => nowMs, after: (_ms, call) => timers.push(call) })
    const who = {}
    const released: number[] = []
    const refuse = (n: number) => tarpit.hold(who, 0.1, () => released.push(n))
    t.equal(refuse(1), true)
    nowMs += 500
    t.equal(refuse(2), true, 'late by less than what is kept')
    nowMs += 500
    t.equal(refuse(3), false)
    while (timers.length > 0) {
      timers.shift()?.()
      nowMs += 25
    }
    t.same(released, [1, 2])
    t.equal(refuse(4), true, 'once those before are released')
    t.end()
  },
)

t.test('who closes it gets all that is held at once, and nothing is held any more', async (t) => {
  const { tarpit } = start()
  const who = {}
  const released: number[] = []
  const hold = (n: number) => tarpit.hold(who, 0.1, () => released.push(n))
  for (let n = 0; n < 5; n += 1) t.ok(hold(n))
  tarpit.close()
  t.same(released, [0, 1, 2, 3, 4])
  t.notOk(hold(5))
})

const database = await createTestDatabase()
t.teardown(() => database.close())
const burst = 5
/** Whatever is held has been released by then. */
const longestMs = 1_030
/** What is held of a few has been, and their refusals are not forgotten. */
const fewMs = 450
let customers = 0

/** A service in which somebody has used up a small quota, and is refused all the time. */
const startService = async (t: Test, clock?: TestClock, more: Record<string, string> = {}) => {
  const env = {
    ...more,
    LIMIT_PREMIUM_BURST: String(burst),
    LIMIT_PREMIUM_MINUTE: String(burst),
    METRICS_TOKEN: 'who-measures-has-this',
    OVERLOAD_CONCURRENCY: '4',
  }
  const { app, origin } = await listenTestApp(database, { env, ...(clock ? { clock } : {}) })
  t.teardown(() => app.close())
  const customer = `flood-${++customers}`
  const { token } = await logIn(app, await addCustomer(database, customer))
  const { port } = new URL(origin)
  const open = () => {
    const socket = connect(Number(port), '127.0.0.1')
    t.teardown(() => socket.destroy())
    return socket
  }
  return { app, customer, token, open }
}
const bearing = (token: string, path = '/v1/me', more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`

/** Collects answers of a connection. */
const collect = (socket: Socket) => {
  const answers: { status: string; head: string; body: string; at: number }[] = []
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    for (;;) {
      const end = text.indexOf('\r\n\r\n')
      const head = text.slice(0, end)
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (end === -1 || text.length < end + 4 + length) return
      const body = text.slice(end + 4, end + 4 + length)
      answers.push({ status: head.slice(9, 12), head, body, at: performance.now() })
      text = text.slice(end + 4 + length)
    }
  })
  return answers
}
/** Has somebody refused so often that what follows is held. */
const flood = async (open: () => Socket, request: string, count: number) => {
  const socket = open()
  const answers = collect(socket)
  for (let n = 0; n < count; n += 1) {
    socket.write(request)
    await until('answered', () => answers.length === n + 1)
  }
  return { socket, answers }
}

t.test('a flood waits for its refusals, which are the same as before; its neighbours do not', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, customer, token, open } = await startService(t, clock)
  const { socket, answers } = await flood(open, bearing(token), 3 * burst)
  t.equal(app.heldRefusals(), 0)
  const tookMs: Record<string, number[]> = {}
  app.watchAnswers(({ route = '', status, ms }) => {
    if (status !== 429) return
    tookMs[route] ??= []
    tookMs[route].push(ms)
  })
  const others = await addCustomer(database, `${customer}-neighbour`)
  const { token: neighbour } = await logIn(app, others)
  // More at once than there is room for: held ones take no place.
  const flooding = Array.from({ length: 18 }, open)
  const floods = flooding.map(collect)
  for (const each of flooding.slice(6)) each.write(bearing(token, '/v1/products'))
  for (const each of flooding.slice(0, 6)) each.write(bearing(token, '/v1/projects', 'Pragma: none\r\n'))
  socket.write(bearing(token, '/v1/countries'))
  await until('they are held', () => app.heldRefusals() === 19)
  const quiet = await flood(open, bearing(neighbour, '/v1/products'), 1)
  t.equal(quiet.answers[0]?.status, '200')
  clock.offsetMs += longestMs
  await until('all are answered', () => floods.flat().length === 18 && answers.length === 3 * burst + 1)
  const early = answers.find(({ status }) => status === '429')
  for (const each of [...floods.flat(), answers.at(-1)]) {
    t.equal(each?.status, '429')
    const same = ({ head = '', body = '' } = {}) => [
      head.replace(/(request-id|date|retry-after|ratelimit): [^\r]*/gi, '$1'),
      body.replace(/"request_id":"[^"]*"/, '').replace(/Try again in \d+ s/, ''),
    ]
    if (each?.head.includes('Keep-Alive')) t.same(same(each)[1], same(early)[1])
  }
  for (const route of ['/v1/products', '/v1/projects']) {
    const sorted = tookMs[route]?.sort((a, b) => a - b) ?? []
    t.ok((sorted[3] ?? 100) < 40, `${route}: ${sorted}: that it was held is not what it took`)
  }
  await app.audit.flush()
  const entries = await listEntries(database.operator, { customer, limit: 50 })
  const details = entries.map((entry) => entry.details as { status: number; count: number } | null)
  const count = details.reduce((sum, each) => sum + (each?.status === 429 ? each.count : 0), 0)
  t.equal(count, 2 * burst + 18 + 1, 'each is in the audit trail')
})

t.test('what is sent ahead on a held connection is answered in order', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, token, open } = await startService(t, clock)
  await flood(open, bearing(token), 3 * burst)
  const socket = open()
  const answers = collect(socket)
  socket.write(
    bearing(token, '/v1/products') + bearing('nobody', '/v1/products') + bearing(token, '/v1/nothing'),
  )
  await until('held', () => app.heldRefusals() === 1)
  t.same(answers, [])
  clock.offsetMs += longestMs
  await until('answered', () => answers.length === 3)
  t.same(
    answers.map(({ status }) => status),
    ['429', '401', '404'],
  )
})

t.test('who sends ahead of a held refusal is not read until it is answered, and held again', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, token, open } = await startService(t, clock)
  await flood(open, bearing(token), 3 * burst)
  const arrived = once(app.server, 'connection') as Promise<[Socket]>
  const socket = open()
  const answers = collect(socket)
  const [theirs] = await arrived
  socket.write(bearing(token))
  await until('held', () => app.heldRefusals() === 1)
  socket.write(bearing(token))
  await until('it sent ahead', () => theirs.isPaused())
  const { bytesRead } = theirs
  socket.write(bearing(token).repeat(3))
  t.equal((await flood(open, 'GET /health/live HTTP/1.1\r\nHost: here\r\n\r\n', 1)).answers[0]?.status, '200')
  t.equal(theirs.bytesRead, bytesRead, 'what came since is still with the client')
  clock.offsetMs += fewMs
  await until('answered, and the next one held', () => answers.length === 2 && app.heldRefusals() === 1)
  clock.offsetMs += fewMs
  await until('all are answered', () => answers.length === 5)
  socket.write(bearing(token))
  await until('held again', () => app.heldRefusals() === 1)
  clock.offsetMs += fewMs
  await until('answered', () => answers.length === 6)
  t.same(new Set(answers.slice(1).map(({ status }) => status)), new Set(['429']))
})

t.test('bad tokens that come again and again wait, too, by their address', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, token, open } = await startService(t, clock)
  const socket = open()
  const answers = collect(socket)
  socket.write(bearing('nobody').repeat(120))
  await until('held', () => app.heldRefusals() === 1)
  const good = await flood(open, bearing(token), 1)
  t.equal(good.answers[0]?.status, '200')
  clock.offsetMs += fewMs
  await until('answered', () => answers.length === 120)
  t.ok(answers.every(({ status }) => status === '401'))
  t.equal(app.heldRefusals(), 0)
  // What the router refuses is held the same way: a path that is none, another method.
  const [unknown, post] = [open(), open()]
  const routed = [unknown, post].map(collect)
  unknown.write(bearing('nobody', '/v1/nothing'))
  post.write(bearing('nobody').replace('GET', 'POST'))
  await until('held', () => app.heldRefusals() === 2)
  clock.offsetMs += fewMs
  await until('answered', () => routed.every((each) => each[0]?.status === '401'))
})

t.test('behind a proxy, where an address is that of many, bad tokens hold up nobody', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, open } = await startService(t, clock, { TRUSTED_PROXIES: '127.0.0.1,::1' })
  const socket = open()
  const answers = collect(socket)
  const bad = (path: string) => bearing('nobody', path, 'X-Forwarded-Proto: https\r\n')
  socket.write(bad('/v1/products').repeat(120) + bad('/v1/nothing'))
  await until('answered', () => answers.length === 121)
  t.ok(answers.every(({ status }) => status === '401'))
  t.equal(app.heldRefusals(), 0)
})

t.test('a service that closes answers what it holds at once', async (t) => {
  const { app, token, open } = await startService(t, { offsetMs: 0, isStopped: true })
  await flood(open, bearing(token), 3 * burst)
  const socket = open()
  const answers = collect(socket)
  socket.write(bearing(token))
  await until('held', () => app.heldRefusals() === 1)
  const closed = app.close()
  await until('answered', () => answers.length === 1)
  t.equal(answers[0]?.status, '429')
  socket.end()
  await closed
})
