import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { createAdmission } from '../../app/overload/admission.ts'
import { watchLag } from '../../app/overload/lag.ts'
import { addCustomer, createTestDatabase, listenTestApp, lockProducts, until } from '../helper.ts'

const calm = { level: () => 0, looks: () => 0 }
const metricsToken = 'who-measures-has-this'

t.test('up to the bound everybody is let in, beyond it whoever holds less than a part of it', async (t) => {
  const admission = createAdmission({ concurrency: 10, connections: 1, lag: calm })
  const releases = Array.from({ length: 10 }, () => {
    t.equal(admission.judge('flood', false), 'admit')
    return admission.hold('flood')
  })
  t.equal(admission.judge('flood', false), 'shed')
  for (let count = 0; count < 4; count += 1) {
    t.equal(admission.judge('quiet', false), 'admit')
    admission.hold('quiet')
  }
  t.equal(admission.judge('quiet', false), 'shed', 'a third of the bound is its part, with one more to come')
  releases[0]?.()
  releases[0]?.()
  t.equal(admission.active, 13, 'ended once, however often it is said')
  for (let each = 0; admission.active < 20; each += 1) admission.hold(`other ${each}`)
  t.equal(admission.judge('new', false), 'shed', 'nobody beyond twice the bound')
})

/** An admission whose clock the test sets, with those who were let in. */
const createRoom = (concurrency = 100) => {
  const clock = { ms: 0 }
  const admission = createAdmission({ concurrency, connections: 10, lag: calm, now: () => clock.ms })
  const releases: (() => void)[] = []
  return {
    clock,
    admission,
    /** How many are let in until the first is not. */
    fill(): number {
      let count = 0
      for (; admission.judge('flood', false) === 'admit'; count += 1) releases.push(admission.hold('flood'))
      return count
    },
    empty(count: number): void {
      for (const release of releases.splice(0, count)) release()
    },
  }
}

t.test(
  'a burst finds the whole room, what goes on longer 1.6 for each connection, until it is over',
  async (t) => {
    const { clock, admission, fill, empty } = createRoom()
    t.equal(fill(), 100)
    for (; clock.ms < 900; clock.ms += 100) {
      empty(10)
      t.equal(fill(), 10, 'within a second it is a burst')
    }
    clock.ms = 1_100
    t.equal(admission.judge('quiet', false), 'admit', 'whoever holds nothing finds room at once')
    empty(50)
    t.equal(fill(), 0, 'half of it would have been free')
    empty(38)
    t.equal(fill(), 4)
    t.equal(admission.judge('quiet', false), 'admit', 'whoever holds less than a part of it')
    empty(7)
    t.equal(fill(), 91, 'a new burst: fewer waited than there are connections')
  },
)

t.test('what goes on longer finds room for as many as are answered in 50 ms, a fifth at most', async (t) => {
  const { clock, admission, fill, empty } = createRoom()
  const goOn = (answered: number, untilMs: number) => {
    for (; clock.ms < untilMs; clock.ms += 20) {
      empty(answered)
      fill()
    }
  }
  goOn(7, 4_000)
  t.ok([17, 18].includes(admission.active), `${admission.active}, with 0.35 a millisecond`)
  goOn(9, 6_000)
  t.equal(admission.active, 20)
})

t.test('where answers are quick there is the whole room, however long it lasts', async (t) => {
  const { clock, admission, fill, empty } = createRoom()
  t.equal(fill(), 100)
  for (; clock.ms < 4_000; clock.ms += 10) {
    // As many as there are connections are always under way: the burst never ends.
    empty(Math.min(80, admission.active - 10))
    fill()
  }
  t.equal(admission.active, 100)
})

t.test('who leaves without an answer makes no room for others', async (t) => {
  const { clock, admission, fill, empty } = createRoom()
  for (; clock.ms < 4_000; clock.ms += 10) {
    empty(1)
    fill()
    for (let each = 0; each < 80; each += 1) admission.hold('gone')(false)
  }
  t.equal(admission.active, 16)
})

t.test('a few more than there are connections are no flood, and leave the room to a burst', async (t) => {
  for (const [concurrency, few] of [
    [100, 12],
    [2_000, 190],
  ] as const) {
    const { clock, admission, fill } = createRoom(concurrency)
    const busy = Array.from({ length: few }, () => admission.hold('busy'))
    for (; clock.ms < 4_000; clock.ms += 10) {
      busy.shift()?.()
      if (admission.judge('busy', false) !== 'admit') t.fail(`refused after ${clock.ms} ms`)
      busy.push(admission.hold('busy'))
    }
    t.equal(fill(), concurrency - few)
  }
})

t.test('where nothing is answered for a while nobody is refused for it, nor when it goes on', async (t) => {
  let now = 0
  const admission = createAdmission({ concurrency: 100, connections: 10, lag: calm, now: () => now })
  const releases: (() => void)[] = []
  const come = (count: number) => {
    for (let each = 0; each < count; each += 1) {
      t.equal(admission.judge('one', false), 'admit', `${releases.length} wait after ${now} ms`)
      releases.push(admission.hold('one'))
    }
  }
  const answer = (count: number) => {
    for (const release of releases.splice(0, count)) release()
  }
  come(30)
  for (; now < 5_000; now += 100) come(1)
  for (; now < 5_900; now += 100) {
    answer(10)
    come(1)
  }
})

t.test('the demo has half of the room', async (t) => {
  const admission = createAdmission({ concurrency: 10, connections: 1, lag: calm })
  for (let count = 0; count < 5; count += 1) {
    t.equal(admission.judge('demo', true), 'admit')
    admission.hold('demo')
  }
  t.equal(admission.judge('demo', true), 'shed')
  t.equal(admission.judge('customer', false), 'admit')
})

t.test('a late event loop sheds the demo first, and everybody when it goes on', async (t) => {
  const verdicts = [0, 1, 2, 3, 4].map((level) => {
    const admission = createAdmission({
      concurrency: 10,
      connections: 1,
      lag: { level: () => level, looks: () => 7 },
    })
    for (let few = 0; few < 4; few += 1) admission.judge('customer', false)
    return [admission.judge('demo', true), admission.judge('customer', false)].join()
  })
  t.same(verdicts, ['admit,admit', 'shed,admit', 'shed,admit', 'shed,shed', 'shed,shed'])
})

t.test(
  'a few requests are let in at each turn of a late event loop: it is not they that make it late',
  async (t) => {
    let looks = 0
    const admission = createAdmission({
      concurrency: 10,
      connections: 1,
      lag: { level: () => 4, looks: () => looks },
    })
    const turn = () => Array.from({ length: 6 }, (_, n) => admission.judge('anybody', n % 2 === 0))
    t.same(turn(), ['admit', 'admit', 'admit', 'admit', 'shed', 'shed'])
    looks += 1
    t.same(turn(), ['admit', 'admit', 'admit', 'admit', 'shed', 'shed'], 'at the next one again')
  },
)

t.test('a loop is late when its timers are, and recovers', async (t) => {
  const lag = watchLag({ lateMs: 30, now: () => performance.now() })
  t.teardown(() => lag.stop())
  const block = () => {
    const end = performance.now() + 80
    while (performance.now() < end);
  }
  t.equal(lag.level(), 0)
  await until('late', async () => {
    block()
    await delay(1)
    return lag.level() >= 3
  })
  await until('in time again', () => lag.level() === 0)
})

t.test('a flood of slow questions is refused, and costs nobody else an answer', async (t) => {
  const database = await createTestDatabase()
  const keys = [await addCustomer(database, 'flood'), await addCustomer(database, 'quiet')]
  const env = { OVERLOAD_CONCURRENCY: '3', METRICS_TOKEN: metricsToken }
  const { app, origin } = await listenTestApp(database, { env })
  t.teardown(async () => {
    await app.close()
    await database.close()
  })
  const tokens = await Promise.all(
    keys.map(async (api_key) => {
      const login = await app.inject({ method: 'POST', url: '/v1/auth/login', payload: { api_key } })
      return login.json().access_token as string
    }),
  )
  const [flood = '', quiet = ''] = tokens
  const ask = (path: string, token: string) =>
    fetch(origin + path, { headers: { authorization: `Bearer ${token}` } })
  t.equal((await ask('/v1/projects', quiet)).status, 200)

  const unlock = await lockProducts(database)
  const slow = Array.from({ length: 3 }, (_, count) => ask(`/v1/products?name=${count}`, flood))
  const waiting = async () => {
    const headers = { authorization: `Bearer ${metricsToken}` }
    const { body } = await app.inject({ url: '/metrics', headers })
    return Number(/^certdata_requests_waiting (\d+)$/m.exec(body)?.[1])
  }
  await until('three wait', async () => (await waiting()) === 3)

  const refused = await ask('/v1/products?name=4', flood)
  t.equal(refused.status, 503)
  t.match(await refused.json(), { code: 'overloaded', status: 503, request_id: /^[\da-f-]{36}$/ })
  t.equal(refused.headers.get('retry-after'), '1')
  t.match(refused.headers.get('content-type'), 'application/problem+json')
  t.match(refused.headers.get('content-security-policy'), "default-src 'none'")
  t.equal(refused.headers.get('request-id')?.length, 36)
  const took: number[] = []
  for (let count = 0; count < 50; count += 1) {
    const startedAt = performance.now()
    t.equal((await ask(`/v1/products?name=more-${count}`, flood)).status, 503)
    took.push(performance.now() - startedAt)
  }
  t.ok((took.sort((a, b) => a - b)[25] ?? 999) < 50, 'at once')
  t.equal((await ask('/v1/projects', quiet)).status, 200, 'another one is answered')
  t.equal((await ask('/v1/products', 'cda_demo_public')).status, 503, 'the demo is not')
  for (const path of ['/health/live', '/health/ready']) t.equal((await fetch(origin + path)).status, 200)
  const { body } = await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${metricsToken}` } })
  t.match(body, 'certdata_shed_total{kind="other"} 51')
  t.match(body, 'certdata_shed_total{kind="demo"} 1')
  t.match(body, 'certdata_http_requests_total{route="unknown",plan="none",status="503"} 51')

  await unlock()
  for (const answer of await Promise.all(slow)) t.equal(answer.status, 200, 'who was let in is answered')
  t.equal((await ask('/v1/products?name=4', flood)).status, 200)
  await until('nobody waits', async () => (await waiting()) === 0)
})
