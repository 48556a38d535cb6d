import t from 'tap'
import { createEtag, type Entry, type Filled } from '../../app/cache/entry.ts'
import { createAgeLimit } from '../../app/cache/freshness.ts'
import { createMemoryCache } from '../../app/cache/memory.ts'
import { createReadThrough } from '../../app/cache/read-through.ts'
import type { SharedCache } from '../../app/cache/redis.ts'

/** A cache with a clock of its own and a source whose answers come when the test says. */
const setUp = ({ ttlMs = 400, shared }: { ttlMs?: number; shared?: SharedCache } = {}) => {
  const clock = { now: 0 }
  const now = () => clock.now
  const freshness = createAgeLimit(ttlMs, now)
  const memory = createMemoryCache(1_000_000)
  const cache = createReadThrough({ memory, shared, freshness, now })
  const fills: { give: (text: string | undefined) => void; fail: (error: Error) => void }[] = []
  const fill = () =>
    new Promise<Filled | undefined>((resolve, reject) => {
      const give = (text: string | undefined) => resolve(text === undefined ? undefined : filledWith(text))
      fills.push({ give, fail: reject })
    })
  const read = (options: { customerId?: string; key?: string; noCache?: boolean } = {}) =>
    cache.read({ customerId: 'acme', key: 'k', noCache: false, fill, ...options })
  return { clock, read, fills }
}

const filledWith = (text: string): Filled => {
  const body = Buffer.from(text)
  return { snapshot: '1:1:', body, etag: createEtag('application/json', body) }
}

const shown = (answer: Awaited<ReturnType<ReturnType<typeof setUp>['read']>>) =>
  answer && [answer.entry.body.toString(), answer.outcome]

t.test('a second read is answered from memory, at once', async (t) => {
  const { read, fills } = setUp()
  const first = read()
  fills[0]?.give('one')
  t.same(shown(await first), ['one', 'database'])
  const second = read()
  t.notOk(second instanceof Promise, 'no promise on the hot path')
  t.same(shown(await second), ['one', 'memory'])
  t.equal(fills.length, 1)
})

t.test('concurrent misses share one query', async (t) => {
  const { read, fills } = setUp()
  const readers = [read(), read(), read()]
  t.equal(fills.length, 1)
  fills[0]?.give('one')
  t.same(
    (await Promise.all(readers)).map((answer) => answer?.entry.body.toString()),
    ['one', 'one', 'one'],
  )
})

t.test('customers never share an entry or a flight, whatever the key', async (t) => {
  const { read, fills } = setUp()
  const a = read({ customerId: 'a', key: 'b k' })
  const b = read({ customerId: 'a b', key: 'k' })
  t.equal(fills.length, 2)
  fills[0]?.give('of a')
  fills[1]?.give('of a b')
  t.same(shown(await a), ['of a', 'database'])
  t.same(shown(await b), ['of a b', 'database'])
  t.same(shown(await read({ customerId: 'a', key: 'b k' })), ['of a', 'memory'])
})

t.test('age is counted from before the query was sent, not from its answer', async (t) => {
  const { clock, read, fills } = setUp({ ttlMs: 400 })
  const slow = read()
  clock.now = 399
  fills[0]?.give('one')
  await slow
  t.same(shown(await read()), ['one', 'memory'])
  clock.now = 400
  const next = read()
  t.equal(fills.length, 2, 'asked again')
  fills[1]?.give('two')
  t.same(shown(await next), ['two', 'database'])
})

t.test('who joins a flight that turns out too slow gets an answer asked for after it came', async (t) => {
  const { clock, read, fills } = setUp({ ttlMs: 400 })
  const first = read()
  clock.now = 350
  const joined = read()
  const joinedToo = read()
  clock.now = 700
  fills[0]?.give('before the write')
  t.same(shown(await first), ['before the write', 'database'], 'the asker itself may have it')
  await new Promise(setImmediate)
  t.equal(fills.length, 2, 'both joiners share one new flight')
  fills[1]?.give('after the write')
  t.same(shown(await joined), ['after the write', 'database'])
  t.same(shown(await joinedToo), ['after the write', 'database'])
})

t.test('no-cache neither takes a stored answer nor joins a running flight', async (t) => {
  const { read, fills } = setUp()
  const running = read()
  const demanded = read({ noCache: true })
  t.equal(fills.length, 2)
  fills[1]?.give('new')
  t.same(shown(await demanded), ['new', 'database'])
  fills[0]?.give('old')
  await running
  const again = read({ noCache: true })
  fills[2]?.give('newer')
  t.same(shown(await again), ['newer', 'database'])
})

t.test('an older answer that arrives late does not replace a newer one', async (t) => {
  const { clock, read, fills } = setUp()
  const older = read()
  clock.now = 10
  const newer = read({ noCache: true })
  fills[1]?.give('new')
  await newer
  fills[0]?.give('old')
  await older
  t.same(shown(await read()), ['new', 'memory'])
})

t.test(
  'a failed query fails its waiters and clears the flight, so that a later caller can retry',
  async (t) => {
    const { read, fills } = setUp()
    const waiters = [read(), read()]
    fills[0]?.fail(new Error('database gone'))
    for (const each of waiters) await t.rejects(each as Promise<unknown>, { message: 'database gone' })
    const retry = read()
    fills[1]?.give('back')
    t.same(shown(await retry), ['back', 'database'])
  },
)

t.test('a record that is not there is not kept', async (t) => {
  const { read, fills } = setUp()
  const first = read()
  fills[0]?.give(undefined)
  t.equal(await first, undefined)
  const second = read()
  t.equal(fills.length, 2)
  fills[1]?.give('created')
  t.same(shown(await second), ['created', 'database'])
})

t.test('an entry from the shared cache keeps its age', async (t) => {
  const stored = new Map<string, Entry>()
  const shared: SharedCache = {
    get: async (customerId, key) => stored.get(`${customerId} ${key}`),
    set: (entry) => void stored.set(`${entry.customerId} ${entry.key}`, entry),
    close: async () => {},
  }
  const one = setUp({ shared })
  const filled = one.read()
  await new Promise(setImmediate)
  one.fills[0]?.give('one')
  await filled
  const other = setUp({ shared })
  other.clock.now = 399
  t.same(shown(await other.read()), ['one', 'redis'])
  t.same(shown(await other.read()), ['one', 'memory'])
  other.clock.now = 400
  const late = other.read()
  await new Promise(setImmediate)
  t.equal(other.fills.length, 1, 'stale in the shared cache too')
  other.fills[0]?.give('two')
  t.same(shown(await late), ['two', 'database'])
})

t.test('memory is bounded by bytes, and an oversize answer is not kept', async (t) => {
  const memory = createMemoryCache(100_000)
  const entry = (key: string, size: number): Entry => ({
    ...filledWith('x'.repeat(size)),
    customerId: 'acme',
    key,
    staleAt: 1,
    encoded: new Map(),
  })
  for (let i = 0; i < 100; i++) memory.set(entry(`k${i}`, 3_000))
  t.ok(memory.sizeBytes <= 100_000)
  t.ok(memory.sizeBytes > 50_000, 'and it is used')
  t.notOk(memory.get('acme', 'k0'))
  t.ok(memory.get('acme', 'k99'))
  memory.set(entry('big', 50_000))
  t.notOk(memory.get('acme', 'big'))
})

t.test('a cache of no bytes keeps nothing and still answers', async (t) => {
  const memory = createMemoryCache(0)
  memory.set({ ...filledWith('x'), customerId: 'a', key: 'k', staleAt: 1, encoded: new Map() })
  t.notOk(memory.get('a', 'k'))
})
