import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import t, { type Test } from 'tap'
import { listEntries } from '../../app/audit/list.ts'
import { createTarpit } from '../../app/overload/tarpit.ts'
import { addCustomer, createTestDatabase, listenTestApp, logIn, type TestClock, until } from '../helper.ts'

const endless = { ofOne: Number.POSITIVE_INFINITY, inAll: Number.POSITIVE_INFINITY }

/** A tarpit whose time passes when it is told to. */
const start = (startMs = 1_000, most = endless, random = () => 0) => {
  let nowMs = startMs
  const timers: { atMs: number; call: () => void }[] = []
  const tarpit = createTarpit({
    now: () => nowMs,
    after: (ms, call) => timers.push({ atMs: nowMs + ms, call }),
    most,
    random,
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

t.test('who is refused no more than five times as often as it may ask waits for nothing', async (t) => {
  const { tarpit, pass } = start()
  const who = {}
  for (let second = 0; second < 5; second += 1) {
    for (let n = 0; n < 48; n += 1) {
      t.notOk(tarpit.hold(who, 10, () => t.fail('it was not held')))
      pass(21)
    }
  }
})

t.test('who is refused more often waits the longer, to a bound; others do not', async (t) => {
  const { tarpit, pass, now, timers } = start()
  const [flood, quiet] = [{}, {}]
  const waitsMs: number[] = []
  for (let n = 0; n < 200; n += 1) {
    const heldAt = now()
    if (tarpit.hold(flood, 10, () => waitsMs.push(now() - heldAt))) t.ok(n >= 50)
    else t.ok(n < 50)
  }
  t.notOk(tarpit.hold(quiet, 10, () => {}))
  t.equal(tarpit.held, 150)
  pass(240)
  t.same(waitsMs, [])
  pass(1_030)
  t.equal(tarpit.held, 0)
  t.equal(waitsMs.length, 150)
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
  t.notOk(refuse(44).includes(true))
  pass(200)
  t.same(refuse(10), [...Array(9).fill(false), true], 'nine tenths of forty-five, and ten')
  pass(10_000)
  t.same(refuse(51), [...Array(50).fill(false), true])
})

t.test(
  'who is refused together comes back apart, at most a quarter sooner, and counts while it waits',
  async (t) => {
    const chances = [0, 0.5, 1]
    const { tarpit, pass, now } = start(1_000, undefined, () => chances.shift() ?? 0)
    const who = {}
    for (let n = 0; n < 500; n += 1) tarpit.count(who)
    const startedAt = now()
    const waitsMs: number[] = []
    for (let n = 0; n < 3; n += 1) t.ok(tarpit.hold(who, 10, () => waitsMs.push(now() - startedAt)))
    pass(1_030)
    t.same(waitsMs, [750, 875, 1_000])
  },
)

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

t.test('what is held is bounded where it is said, for each and for all; what is more is not', async (t) => {
  const most = { ofOne: 20, inAll: 30 }
  const { tarpit } = start(1_000, most)
  const hold = (who: object) => tarpit.hold(who, 0.1, () => {})
  const first = {}
  for (let n = 0; n < most.ofOne; n += 1) t.ok(hold(first))
  t.notOk(hold(first))
  while (tarpit.held < most.inAll) t.ok(hold({}))
  t.notOk(hold({}))
})

t.test(
  'where the process is late, whoever would take a place that is not empty yet is sent away at once',
  (t) => {
    let nowMs = 1_000
    const timers: (() => void)[] = []
    const tarpit = createTarpit({
      now: () => nowMs,
      after: (_ms, call) => timers.push(call),
      most: endless,
      random: () => 0,
    })
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
let customers = 0

/** A service in which somebody has used up a small quota, and is refused all the time. */
const startService = async (t: Test, clock?: TestClock, more: Record<string, string> = {}) => {
  const env = {
    ...more,
    LIMIT_PREMIUM_BURST: String(burst),
    LIMIT_PREMIUM_MINUTE: String(burst),
    METRICS_TOKEN: 'who-measures-has-this',
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

/** A first refusal of its connection, and five times the quota: from the next on its connections are read later. */
const enough = 6 * burst + 1

t.test('a flood is refused at once and read again later; its neighbours do not notice', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, customer, token, open } = await startService(t, clock)
  const { answers } = await flood(open, bearing(token), enough)
  t.equal(app.heldRefusals(), 0)
  const tookMs: number[] = []
  app.watchAnswers(({ status, ms }) => {
    if (status === 429) tookMs.push(ms)
  })
  const others = await addCustomer(database, `${customer}-neighbour`)
  const { token: neighbour } = await logIn(app, others)
  // In front of the router and in it.
  const flooding = Array.from({ length: 18 }, open)
  const floods = flooding.map(collect)
  const ask = () => {
    for (const each of flooding.slice(6)) each.write(bearing(token, '/v1/products'))
    for (const each of flooding.slice(0, 6)) each.write(bearing(token, '/v1/projects', 'Pragma: none\r\n'))
  }
  for (const n of [1, 2]) {
    t.equal(app.heldRefusals(), 0)
    ask()
    await until('all are refused', () => floods.every(({ length }) => length === n))
  }
  t.equal(app.heldRefusals(), 18)
  ask()
  const quiet = await flood(open, bearing(neighbour, '/v1/products'), 3)
  t.same(new Set(quiet.answers.map(({ status }) => status)), new Set(['200']))
  t.ok(
    floods.every(({ length }) => length === 2),
    'what was asked since is still with the client',
  )
  clock.offsetMs += longestMs
  await until('it is read', () => floods.every(({ length }) => length === 3))
  const early = answers.find(({ status }) => status === '429')
  const withoutItsOwn = ({ body = '' } = {}) =>
    body.replace(/"request_id":"[^"]*"/, '').replace(/Try again in \d+ s/, '')
  for (const [first, second, third] of floods) {
    t.same([first?.status, second?.status, third?.status], ['429', '429', '429'])
    t.equal(withoutItsOwn(first), withoutItsOwn(early))
  }
  const sorted = tookMs.sort((a, b) => a - b)
  t.ok((sorted[18] ?? 100) < 40, `${sorted}: that they were read later is not what they took`)
  await app.audit.flush()
  const entries = await listEntries(database.operator, { customer, limit: 50 })
  const details = entries.map((entry) => entry.details as { status: number; count: number } | null)
  const count = details.reduce((sum, each) => sum + (each?.status === 429 ? each.count : 0), 0)
  t.equal(count, enough - burst + 54, 'each is in the audit trail')
})

t.test('what a flood has sent ahead is answered in order', async (t) => {
  const { app, token, open } = await startService(t, { offsetMs: 0, isStopped: true })
  await flood(open, bearing(token), enough)
  const socket = open()
  const answers = collect(socket)
  socket.write(
    bearing(token, '/v1/products').repeat(2) +
      bearing('nobody', '/v1/products') +
      bearing(token, '/v1/nothing'),
  )
  await until('answered', () => answers.length === 4)
  t.same(
    answers.map(({ status }) => status),
    ['429', '429', '401', '404'],
  )
  t.equal(app.heldRefusals(), 1)
})

t.test('what a flood has sent ahead counts, so that it waits the longer', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, token, open } = await startService(t, clock)
  await flood(open, bearing(token), enough)
  const other = await flood(open, bearing(token), 1)
  const ahead = open()
  const answers = collect(ahead)
  ahead.write(bearing(token).repeat(60))
  await until('refused', () => answers.length === 60)
  other.socket.write(bearing(token))
  await until('refused', () => other.answers.length === 2)
  t.equal(app.heldRefusals(), 2)
  clock.offsetMs += 500
  await until('the first is read again, whoever came after the others is not', () => app.heldRefusals() === 1)
})

t.test('of a connection that is not read nothing is taken until it is, again and again', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, token, open } = await startService(t, clock)
  const arrived = once(app.server, 'connection') as Promise<[Socket]>
  const socket = open()
  const answers = collect(socket)
  const [theirs] = await arrived
  await flood(open, bearing(token), enough)
  socket.write(bearing(token))
  await until('refused', () => answers.length === 1)
  socket.write(bearing(token))
  for (const n of [2, 3]) {
    await until('refused, and not read any more', () => answers.length === n && theirs.isPaused())
    const { bytesRead } = theirs
    theirs.resume()
    await until('not read again, though Node resumes it', () => theirs.isPaused())
    socket.write(bearing(token))
    const live = 'GET /health/live HTTP/1.1\r\nHost: here\r\n\r\n'
    t.equal((await flood(open, live, 1)).answers[0]?.status, '200')
    t.equal(theirs.bytesRead, bytesRead, 'what was asked since is still with the client')
    t.equal(answers.length, n)
    clock.offsetMs += longestMs
  }
  await until('it is read', () => answers.length === 4)
})

t.test('whoever makes a connection for each request waits for its refusal, and leaves nothing', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, token, open } = await startService(t, clock)
  await flood(open, bearing(token), burst)
  const askOnce = async (count: number) => {
    const sockets = Array.from({ length: count }, open)
    const answers = sockets.map(collect)
    for (const socket of sockets) socket.write(bearing(token))
    return { sockets, answers: () => answers.flat() }
  }
  const tolerated = await askOnce(5 * burst)
  await until('refused at once', () => tolerated.answers().length === 5 * burst)
  const more = await askOnce(20)
  await until('held', () => app.heldRefusals() === 20)
  t.same(more.answers(), [])
  for (const socket of [...tolerated.sockets, ...more.sockets.slice(10)]) socket.destroy()
  clock.offsetMs += longestMs
  await until('sent', () => more.answers().length === 10)
  t.equal(app.heldRefusals(), 0)
  const connections = () => new Promise<number>((resolve) => app.server.getConnections((_, n) => resolve(n)))
  await until('who is gone has none', async () => (await connections()) === 11)
})

t.test('bad tokens that come again and again are read later, too, by their address', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, token, open } = await startService(t, clock)
  const socket = open()
  const answers = collect(socket)
  socket.write(bearing('nobody').repeat(260))
  await until('refused', () => answers.length === 260)
  t.ok(answers.every(({ status }) => status === '401'))
  t.equal(app.heldRefusals(), 1)
  const good = await flood(open, bearing(token), 1)
  t.equal(good.answers[0]?.status, '200')
  t.equal(app.heldRefusals(), 1)
  // What the router refuses counts the same: a path that is none, another method.
  const [unknown, post] = [open(), open()]
  const routed = [unknown, post].map(collect)
  unknown.write(bearing('nobody', '/v1/nothing').repeat(2))
  post.write(bearing('nobody').replace('GET', 'POST').repeat(2))
  await until('refused', () => routed.every((each) => each[1]?.status === '401'))
  t.equal(app.heldRefusals(), 3)
  clock.offsetMs += longestMs
  await until('read again', () => app.heldRefusals() === 0)
})

t.test('behind a proxy, whose connections are those of many, nothing is slowed down', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, token, open } = await startService(t, clock, { TRUSTED_PROXIES: '127.0.0.1,::1' })
  const socket = open()
  const answers = collect(socket)
  const asked = (bearer: string, path: string) => bearing(bearer, path, 'X-Forwarded-Proto: https\r\n')
  socket.write(asked('nobody', '/v1/products').repeat(260) + asked('nobody', '/v1/nothing'))
  await until('refused', () => answers.length === 261)
  t.ok(answers.every(({ status }) => status === '401'))
  const known = open()
  const refused = collect(known)
  known.write(asked(token, '/v1/products').repeat(burst + 2 * enough))
  await until('refused', () => refused.length === burst + 2 * enough)
  t.equal(refused.at(-1)?.status, '429')
  t.equal(app.heldRefusals(), 0)
})

t.test('a client that is gone while it is not read leaves nothing behind', async (t) => {
  const clock = { offsetMs: 0, isStopped: true }
  const { app, token, open } = await startService(t, clock)
  const arrived = once(app.server, 'connection') as Promise<[Socket]>
  const { socket } = await flood(open, bearing(token), enough + 1)
  const [theirs] = await arrived
  await until('not read', () => theirs.isPaused())
  socket.destroy()
  clock.offsetMs += longestMs
  await until('gone', () => theirs.destroyed)
  t.equal(app.heldRefusals(), 0)
})

t.test('a service that closes waits for no connection that is not read', async (t) => {
  const { app, token, open } = await startService(t, { offsetMs: 0, isStopped: true })
  const { socket } = await flood(open, bearing(token), enough + 1)
  await until('not read', () => app.heldRefusals() === 1)
  const ended = once(socket, 'close')
  await app.close()
  await ended
  t.equal(app.heldRefusals(), 0)
})
