import t from 'tap'
import { createEtag, type Filled, type StoredEntry } from '../../app/cache/entry.ts'
import { openEnvelope, signEnvelope } from '../../app/cache/envelope.ts'
import { createFence } from '../../app/cache/fence.ts'
import { createFreshnessCheck, type Freshness, type FreshnessCheck } from '../../app/cache/freshness.ts'
import { createMemoryCache, entryName } from '../../app/cache/memory.ts'
import type { Poller } from '../../app/cache/poller.ts'
import { createReadThrough } from '../../app/cache/read-through.ts'
import type { SharedCache } from '../../app/cache/redis.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { createEntry } from './entry.ts'

/** The result of a read that shows the first `seen` changes. */
const filledWith = (text: string | undefined, seen = 1): Filled => {
  const body = Buffer.from(text ?? '')
  const etag = createEtag('application/json', body)
  const isAbsent = text === undefined
  return { snapshot: parseSnapshot(`${seen}:${seen}:`), server: 's', at: `t${seen}`, isAbsent, body, etag }
}

type World = {
  /** Number of changes that polls have reported. */
  known: number
  isLeased: boolean
  isDown: boolean
  /** Even while `isDown`. */
  answersReads: boolean
  /** The result of `mayBeAhead`. */
  isAhead: boolean
  /** The result of `isDistrusted`. */
  isDistrusted: boolean
}

/** Polls end when the test calls their function in `polls`. */
const createTestFreshness = () => {
  const world: World = {
    known: 1,
    isLeased: true,
    isDown: false,
    answersReads: false,
    isAhead: false,
    isDistrusted: false,
  }
  const polls: ((isGood: boolean) => void)[] = []
  const settled = (entry: { snapshot: { xmax: number } }): Freshness =>
    entry.snapshot.xmax >= world.known ? (world.isDown ? 'stale' : 'fresh') : 'behind'
  const poll = () => new Promise<boolean>((resolve) => polls.push(resolve))
  const freshness: FreshnessCheck = {
    check: (entry) => (world.isLeased ? settled(entry) : poll().then(() => settled(entry))),
    confirm: poll,
    confirmAfter: poll,
    confirmNext: poll,
    checkConfirmed: settled,
    isBehind: (entry) => settled(entry) === 'behind',
    isDistrusted: () => world.isDistrusted,
    mayBeAhead: () => world.isAhead,
    noteServed: () => {},
    proveUnchanged: async () => undefined,
    staleSeconds: () => 7,
    isAway: () => world.isDown,
    isUnanswered: () => world.isDown,
    readOr: async (read, known) => (world.answersReads ? read() : known),
    epoch: () => 'i s',
    mark: () => 'm',
    asOf: () => `t${world.known}`,
  }
  return { freshness, polls, world }
}

/** Fills end when the test calls `give` or `fail`. */
const setUp = ({ shared }: { shared?: SharedCache } = {}) => {
  const { freshness, polls, world } = createTestFreshness()
  const waits: (() => void)[] = []
  const wait = () => new Promise<void>((resolve) => waits.push(resolve))
  const memory = createMemoryCache(1_000_000)
  const cache = createReadThrough({ memory, shared, freshness, longestWaitMs: 20, wait })
  const fills: { give: (text: string | undefined, seen?: number) => void; fail: (error: Error) => void }[] =
    []
  const fill = () =>
    new Promise<Filled>((resolve, reject) => {
      fills.push({ give: (text, seen = world.known) => resolve(filledWith(text, seen)), fail: reject })
    })
  type Options = {
    customerId?: string
    key?: string
    noCache?: boolean
    fillFromReplica?: () => Promise<Filled>
  }
  const read = (options: Options = {}) =>
    cache.read({ customerId: 'acme', key: 'k', dependsOn: ['products'], noCache: false, fill, ...options })
  /** Reads the key for the first time. */
  const readFirst = (text: string | undefined) => {
    const result = read()
    fills[0]?.give(text)
    return result
  }
  return { world, polls, waits, read, readFirst, fills, cache }
}

const shown = (answer: Awaited<ReturnType<ReturnType<typeof setUp>['read']>>) => [
  answer.entry.body.toString(),
  answer.outcome,
]
const settle = () => new Promise(setImmediate)

t.test('a second read is answered from memory synchronously', async (t) => {
  const { read, readFirst, fills } = setUp()
  t.same(shown(await readFirst('one')), ['one', 'database'])
  const second = read()
  t.notOk(second instanceof Promise, 'no promise on the hot path')
  t.same(shown(await second), ['one', 'memory'])
  t.equal(fills.length, 1)
})

t.test("an entry read before the database's clock was set back has no time in the future", async (t) => {
  const { freshness } = createTestFreshness()
  let polledAt = '2026-01-01T12:00:00.000000Z'
  const cache = createReadThrough({
    memory: createMemoryCache(1_000_000),
    shared: undefined,
    freshness: { ...freshness, asOf: () => polledAt },
    longestWaitMs: 1_000,
    wait: () => Promise.resolve(),
  })
  const at = '2026-01-01T12:00:00.050000Z'
  const fill = async () => ({ ...filledWith('one'), at })
  const question = { customerId: 'acme', key: 'k', dependsOn: ['products'], noCache: false, fill }
  await cache.read(question)
  const asOf = async () => (await cache.read(question)).asOf
  t.equal(await asOf(), at, 'read after the last poll')
  polledAt = '2026-01-01T12:00:00.100000Z'
  t.equal(await asOf(), polledAt)
  polledAt = '2026-01-01T11:00:00.100000Z'
  t.equal(await asOf(), polledAt)
})

t.test('customers never share an entry or a flight, even for equal keys', async (t) => {
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

t.test('an entry that lacks a known change is read again', async (t) => {
  const { world, read, readFirst, fills } = setUp()
  await readFirst('one')
  world.known = 2
  const next = read()
  t.equal(fills.length, 2, 'asked again')
  fills[1]?.give('two')
  t.same(shown(await next), ['two', 'database'])
  t.same(shown(await read()), ['two', 'memory'])
})

t.test('a caller that joins a flight uses its result only if it has all changes known by then', async (t) => {
  const { world, read, fills } = setUp()
  const first = read()
  const joined = read()
  const joinedToo = read()
  world.known = 2
  fills[0]?.give('before the write', 1)
  t.same(shown(await first), ['before the write', 'database'], 'the asker itself may have it')
  await settle()
  t.equal(fills.length, 2, 'both joiners share one new flight')
  fills[1]?.give('after the write')
  t.same(shown(await joined), ['after the write', 'database'])
  t.same(shown(await joinedToo), ['after the write', 'database'])
})

t.test('no-cache waits for a poll that begins after it, and may then use memory', async (t) => {
  const { world, polls, read, readFirst, fills } = setUp()
  await readFirst('one')
  const demanded = read({ noCache: true })
  polls[0]?.(true)
  t.same(shown(await demanded), ['one', 'memory'])
  const again = read({ noCache: true })
  world.known = 2
  polls[1]?.(true)
  await settle()
  fills[1]?.give('two')
  t.same(shown(await again), ['two', 'database'])
})

t.test('no-cache does not join an earlier flight, and shares a later one', async (t) => {
  const { polls, read, fills } = setUp()
  const running = read()
  const demanded = [read({ noCache: true }), read({ noCache: true })]
  for (const end of polls) end(true)
  await settle()
  t.equal(fills.length, 2, 'one for both')
  fills[1]?.give('new')
  for (const each of demanded) t.same(shown(await each), ['new', 'database'])
  fills[0]?.give('old')
  await running
})

t.test('the end of a flight leaves a later one for others to join', async (t) => {
  const { polls, world, read, fills } = setUp()
  const running = read()
  const demanded = read({ noCache: true })
  for (const end of polls) end(true)
  await settle()
  world.known = 2
  fills[0]?.give('old', 1)
  await running
  const joined = read()
  await settle()
  t.equal(fills.length, 2, 'no third read')
  fills[1]?.give('new', 2)
  for (const each of [demanded, joined]) t.same(shown(await each), ['new', 'database'])
})

t.test('no-cache reads the database if the poll fails', async (t) => {
  const { polls, read, readFirst, fills } = setUp()
  await readFirst('one')
  const demanded = read({ noCache: true })
  polls[0]?.(false)
  await settle()
  fills[1]?.give('two')
  t.same(shown(await demanded), ['two', 'database'])
  const refused = read({ noCache: true }) as Promise<unknown>
  polls[1]?.(false)
  await settle()
  fills[2]?.fail(new Error('database gone'))
  await t.rejects(refused, { message: 'database gone' })
})

t.test('a standby that replaces the primary answers unless it lags', async (t) => {
  const standby = (seen: number) => async (): Promise<Filled> => {
    return { ...filledWith(`standby ${seen}`, seen), server: undefined, standby: 'm' }
  }
  const { world, cache } = setUp()
  world.known = 2
  const ask = (key: string, fill: () => Promise<Filled>) =>
    cache.read({ customerId: 'acme', key, dependsOn: ['products'], noCache: false, fill })
  t.same(shown(await ask('a', standby(2))), ['standby 2', 'database'])
  await t.rejects(ask('b', standby(1)) as Promise<unknown>, { code: 'unavailable' })
})

t.test('while the database is unreachable, an answer has its age in seconds', async (t) => {
  const { world, read, readFirst, fills } = setUp()
  await readFirst('one')
  world.isDown = true
  t.match(await read(), { outcome: 'memory', staleSeconds: 7, entry: { body: Buffer.from('one') } })
  world.known = 2
  const behind = read() as Promise<unknown>
  fills[1]?.fail(new Error('database gone'))
  await t.rejects(behind, { message: 'database gone' }, 'but none that is known to be superseded')
})

t.test('while polls fail, a read that hangs is refused after the longest wait', async (t) => {
  const { world, read, fills } = setUp()
  world.isDown = true
  // The timer of the read does not keep the process alive.
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(alive))
  const refusal = { code: 'unavailable', status: 503, extras: { headers: { 'retry-after': '1' } } }
  await t.rejects(Promise.resolve(read()), refusal)
  fills[0]?.give('late')
  const answered = read({ key: 'other' })
  fills[1]?.give('in time')
  t.same(shown(await answered), ['in time', 'database'])
})

t.test('an older answer that arrives late does not replace a newer one', async (t) => {
  const { world, polls, read, fills } = setUp()
  const older = read()
  const newer = read({ noCache: true })
  polls[0]?.(true)
  await settle()
  fills[1]?.give('new', 2)
  await newer
  fills[0]?.give('old', 1)
  await older
  world.known = 2
  t.same(shown(await read()), ['new', 'memory'])
})

t.test('a failed read fails its waiters and the callers right after it, then is retried', async (t) => {
  const { waits, read, fills } = setUp()
  const waiters = [read(), read()]
  fills[0]?.fail(new Error('database gone'))
  for (const each of waiters) await t.rejects(each as Promise<unknown>, { message: 'database gone' })
  await t.rejects(read() as Promise<unknown>, { message: 'database gone' })
  t.equal(fills.length, 1, 'none of them tried for itself')
  waits[0]?.()
  await settle()
  const retry = read()
  fills[1]?.give('back')
  t.same(shown(await retry), ['back', 'database'])
})

t.test('caches a missing record until something changes', async (t) => {
  const { world, read, readFirst, fills } = setUp()
  t.ok((await readFirst(undefined)).entry.isAbsent)
  t.match(await read(), { outcome: 'memory', entry: { isAbsent: true } })
  world.known = 2
  const second = read()
  fills[1]?.give('created')
  t.same(shown(await second), ['created', 'database'])
})

const createSharedMap = () => {
  const stored = new Map<string, StoredEntry>()
  const shared: SharedCache = {
    get: async (customerId, key) => {
      const entry = stored.get(`${customerId} ${key}`)
      return entry && { ...entry }
    },
    set: (entry) => void stored.set(`${entry.customerId} ${entry.key}`, entry),
    close: async () => {},
  }
  return { shared, stored }
}

t.test('an entry of the shared cache is checked like any other', async (t) => {
  const { shared } = createSharedMap()
  const one = setUp({ shared })
  const filled = one.read()
  await settle()
  one.fills[0]?.give('one')
  await filled
  const other = setUp({ shared })
  t.same(shown(await other.read()), ['one', 'redis'])
  t.same(shown(await other.read()), ['one', 'memory'])
  const third = setUp({ shared })
  third.world.known = 2
  const late = third.read()
  await settle()
  t.equal(third.fills.length, 1, 'behind in the shared cache too')
  third.fills[0]?.give('two')
  t.same(shown(await late), ['two', 'database'])
})

t.test('an answer too large for memory is still stored in the shared cache', async (t) => {
  const { shared, stored } = createSharedMap()
  const one = setUp({ shared })
  const large = one.read({ key: 'large' })
  await settle()
  one.fills.at(-1)?.give('x'.repeat(1_000_000))
  await large
  t.ok(stored.has('acme large'))
})

t.test('an answer that a change overtakes during its read is not shared', async (t) => {
  const { shared, stored } = createSharedMap()
  const { world, read, fills } = setUp({ shared })
  const answer = read()
  await settle()
  world.known = 2
  fills[0]?.give('of an erased customer', 1)
  t.same(shown(await answer), ['of an erased customer', 'database'])
  t.equal(stored.size, 0)
})

t.test('reads a standby unless it lags, otherwise the primary', async (t) => {
  const fromStandby = (seen: number) => async (): Promise<Filled> => ({
    ...filledWith(`standby ${seen}`, seen),
    server: undefined,
    standby: 'm',
  })
  const { world, read, fills } = setUp()
  world.known = 2
  t.same(shown(await read({ key: 'up to date', fillFromReplica: fromStandby(2) })), ['standby 2', 'database'])
  t.same(shown(await read({ key: 'up to date' })), ['standby 2', 'memory'], 'and kept')
  t.equal(fills.length, 0)
  const cases: [string, () => Promise<Filled>][] = [
    ['lags', fromStandby(1)],
    ['was promoted', async () => filledWith('of another history', 2)],
    [
      'stayed with a former primary',
      async () => ({ ...filledWith('of another history', 2), server: undefined, standby: 'former' }),
    ],
    ['does not answer', async () => Promise.reject(new Error('gone'))],
  ]
  for (const [index, [key, fillFromReplica]] of cases.entries()) {
    const answer = read({ key, fillFromReplica })
    await settle()
    fills[index]?.give('primary', 2)
    t.same(shown(await answer), ['primary', 'database'], key)
  }
})

t.test('while polls fail, the primary is read instead of the standby, if it answers', async (t) => {
  const { world, read, fills } = setUp()
  world.isDown = true
  const fillFromReplica = async () => ({ ...filledWith('standby', 1), server: undefined, standby: 'm' })
  t.match(shown(await read({ key: 'primary fails', fillFromReplica })), ['standby', 'database'])
  world.answersReads = true
  const answered = read({ key: 'primary answers', fillFromReplica })
  await settle()
  fills[0]?.give('primary')
  t.match(shown(await answered), ['primary', 'database'])
})

t.test('a standby may be ahead of the log: changes that no poll has reported are not served', async (t) => {
  const fillFromReplica = async () => ({ ...filledWith('standby', 1), server: undefined, standby: 'm' })
  const { world, polls, read, fills } = setUp()
  world.isAhead = true
  let isAnswered = false
  const same = Promise.resolve(read({ key: 'same', fillFromReplica })).finally(() => {
    isAnswered = true
  })
  await settle()
  t.notOk(isAnswered, 'it waits for the poll that is under way')
  polls.shift()?.(true)
  await settle()
  t.notOk(isAnswered, 'which began too early, so it waits for another one')
  world.isAhead = false
  polls.shift()?.(true)
  t.same(shown(await same), ['standby', 'database'], 'which found nothing new')

  world.isAhead = true
  const soon = read({ key: 'soon', fillFromReplica })
  await settle()
  world.isAhead = false
  polls.shift()?.(true)
  t.same(shown(await soon), ['standby', 'database'], 'the poll under way was enough')
  t.equal(polls.length, 0, 'and no other is asked for')

  world.isAhead = true
  const changed = read({ key: 'changed', fillFromReplica })
  await settle()
  world.known = 2
  world.isAhead = false
  polls.shift()?.(true)
  await settle()
  fills[0]?.give('primary')
  t.same(shown(await changed), ['primary', 'database'])
})

t.test('a standby is ahead only of polls that it may have overtaken', async (t) => {
  const poll = (text: string) => ({
    snapshot: parseSnapshot(text),
    at: '',
    epoch: 'e',
    mark: 'm',
    since: undefined,
    events: [],
    distrusted: [],
  })
  const fence = createFence()
  const freshness = createFreshnessCheck(fence, {} as Poller, 0)
  const isAhead = (text: string, isStandby = true) =>
    freshness.mayBeAhead({
      customerId: 'acme',
      dependsOn: [],
      epoch: 'e',
      snapshot: parseSnapshot(text, isStandby),
    })
  t.ok(isAhead('5:9:'), 'nothing is known yet')
  fence.apply(poll('7:9:7'))
  t.ok(isAhead('5:10:'), 'a transaction that began later')
  t.ok(isAhead('5:9:'), 'one that was running')
  t.notOk(isAhead('5:7:'))
  t.notOk(isAhead('5:10:', false), 'a primary says what it shows')
  fence.apply(poll('9:9:'))
  t.notOk(isAhead('5:9:'))
})

t.test('no-cache reads the primary, and does not join a later read of a standby', async (t) => {
  const { polls, read, fills } = setUp()
  const standby = Promise.withResolvers<Filled>()
  const demanded = read({ noCache: true, fillFromReplica: async () => filledWith('standby', 9) })
  const usual = read({ fillFromReplica: () => standby.promise })
  polls[0]?.(true)
  await settle()
  t.equal(fills.length, 1, 'it reads the primary itself')
  fills[0]?.give('primary')
  t.same(shown(await demanded), ['primary', 'database'])
  standby.resolve({ ...filledWith('standby'), server: undefined, standby: 'm' })
  t.same(shown(await usual), ['standby', 'database'])
})

const getEntry = (key: string, size: number) => createEntry('x'.repeat(size), { key })

t.test(
  'memory is bounded by bytes, evicts the least recently used, and keeps no oversize answer',
  async (t) => {
    const memory = createMemoryCache(100_000)
    for (let i = 0; i < 100; i++) {
      t.equal(memory.set(getEntry(`k${i}`, 3_000)), true)
      memory.get(entryName('acme', 'k0'))
    }
    t.ok(memory.sizeBytes <= 100_000)
    t.ok(memory.sizeBytes > 50_000, 'and it is used')
    t.ok(memory.get(entryName('acme', 'k0')), 'used all the time')
    t.notOk(memory.get(entryName('acme', 'k1')))
    t.ok(memory.get(entryName('acme', 'k99')))
    t.equal(memory.set(getEntry('big', 50_000)), false)
    // An eighth is 12,500 bytes. An entry has 2,048 bytes, and its body twice.
    t.equal(memory.set(getEntry('above', 5_300)), false)
    t.equal(memory.set(getEntry('below', 5_100)), true)
    t.notOk(memory.get(entryName('acme', 'big')))
    t.ok(memory.get(entryName('acme', 'k99')), 'and it evicts no other')
  },
)

t.test('a cache of size 0 stores nothing and still answers', async (t) => {
  const memory = createMemoryCache(0)
  t.equal(memory.set(getEntry('k', 1)), false)
  t.notOk(memory.get(entryName('acme', 'k')))
})

t.test('other instances learn that a standby may have shown newer data', async (t) => {
  const secrets = createSecrets(['a secret of the tests that is longer than thirty-two characters'])
  for (const isOfStandby of [true, false]) {
    const snapshot = parseSnapshot('100:103:101', isOfStandby)
    const envelope = signEnvelope('name', createEntry('{}', { snapshot }), secrets)
    t.same(openEnvelope('name', envelope, secrets)?.snapshot, snapshot)
  }
})

t.test('the probe compares all entries, the last used first, and again in the next round', async (t) => {
  const { cache, read, fills } = setUp()
  const keys = ['k1', 'k2', 'k3']
  for (const [index, key] of keys.entries()) {
    const result = read({ key })
    fills[index]?.give(key)
    await result
  }
  await read({ key: 'k1' })
  const probe = async (text: string) => {
    const probed = cache.probe()
    fills.at(-1)?.give(text)
    return (await probed).result
  }
  for (let round = 0; round < 2; round++) {
    for (const key of ['k1', 'k3', 'k2']) t.equal(await probe(key), 'same', key)
    t.equal(await probe(''), 'nothing')
  }
})

t.test('the probe skips entries that may not be served', async (t) => {
  const { cache, readFirst, world } = setUp()
  await readFirst('old')
  world.known = 2
  t.equal((await cache.probe()).result, 'nothing')
})

t.test('a difference counts only if no poll explains it', async (t) => {
  const { cache, readFirst, fills, polls, world } = setUp()
  await readFirst('one')
  const probe = async (text: string, known: number) => {
    const probed = cache.probe()
    fills.at(-1)?.give(text)
    await settle()
    world.known = known
    polls.at(-1)?.(true)
    return await probed
  }
  t.same(await probe('two', 1), { result: 'different', dependsOn: ['products'] })
  await cache.probe()
  t.same((await probe('two', 2)).result, 'superseded')
})

t.test('another SECRET_KEY, which signs cursors with other bytes, is no difference', async (t) => {
  const { cache, readFirst, fills } = setUp()
  await readFirst('{"data":[],"page":{"next_cursor":"AAAA"}}')
  const probed = cache.probe()
  fills.at(-1)?.give('{"data":[],"page":{"next_cursor":"BBBB"}}')
  t.equal((await probed).result, 'same')
})

t.test('the probe compares an answer of the shared cache that memory has no room for', async (t) => {
  const { shared } = createSharedMap()
  const one = setUp({ shared })
  const result = one.read()
  await settle()
  one.fills[0]?.give('x'.repeat(200_000))
  await result
  t.equal((await one.cache.probe()).result, 'nothing', 'it was read from the database')
  await one.read()
  const probed = one.cache.probe()
  one.fills.at(-1)?.give('another')
  await settle()
  one.polls.at(-1)?.(true)
  t.equal((await probed).result, 'different')
})

t.test('no-cache reads the database if a resource is distrusted', async (t) => {
  const { read, readFirst, fills, polls, world } = setUp()
  await readFirst('one')
  world.isDistrusted = true
  const result = read({ noCache: true })
  polls.at(-1)?.(true)
  await settle()
  fills.at(-1)?.give('two')
  const { entry, isDistrusted } = await result
  t.same([entry.body.toString(), isDistrusted], ['two', true])
})

t.test('distrusted data are never stale', async (t) => {
  const fence = createFence()
  const poller = { isLeased: () => false, isDown: () => true, ageMs: () => 0 } as Partial<Poller> as Poller
  const freshness = createFreshnessCheck(fence, poller, 60_000)
  const at = '2026-01-01T00:00:00.000000Z'
  const poll = (distrusted: string[]) =>
    fence.apply({
      snapshot: parseSnapshot('9:9:'),
      at,
      epoch: 'e',
      mark: 'm',
      since: undefined,
      events: [],
      distrusted,
    })
  const entry = createEntry('one', { snapshot: parseSnapshot('9:9:'), at })
  poll([])
  t.equal(freshness.check(entry), 'stale')
  poll(['products'])
  t.equal(freshness.check(entry), 'behind')
})
