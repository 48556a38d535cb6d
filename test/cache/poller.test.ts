import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { createFence } from '../../app/cache/fence.ts'
import { createFreshnessCheck, createLeaseClock } from '../../app/cache/freshness.ts'
import { type ChangeSource, createPoller, type Poller } from '../../app/cache/poller.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'
import type { ChangeEvent, Poll } from '../../app/cache/stamped.ts'
import { until } from '../helper.ts'

/** Starts a poller whose clocks and responses the test controls. With the default interval, it polls only on request. */
const setUp = async (intervalMs = 1_000_000) => {
  const clock = { monotonic: 0, wall: 0 }
  const asked: { since: string | undefined; give: (poll: Poll) => void; fail: () => void }[] = []
  const source: ChangeSource = {
    begin: async () => undefined,
    poll: (since) =>
      new Promise((resolve, reject) => {
        asked.push({ since: since?.text, give: resolve, fail: () => reject(new Error('gone')) })
      }),
    close: async () => {},
  }
  const fence = createFence()
  const warnings: string[] = []
  const poller = createPoller({
    source,
    fence,
    clock: createLeaseClock(
      () => clock.monotonic,
      () => clock.wall,
    ),
    warn: (message) => warnings.push(message),
    intervalMs,
  })
  const started = poller.start()
  await settle()
  asked[0]?.give(getPoll(100))
  await started
  const respond = async (end: () => void, confirm = poller.confirm) => {
    const confirmed = confirm()
    await settle()
    end()
    return confirmed
  }
  /** Polls once, with this response. */
  const give = (poll: Poll, confirm?: Poller['confirm']) => respond(() => asked.at(-1)?.give(poll), confirm)
  const fail = (confirm?: Poller['confirm']) => respond(() => asked.at(-1)?.fail(), confirm)
  return {
    clock,
    asked,
    fence,
    poller,
    give,
    fail,
    warnings,
    freshness: createFreshnessCheck(fence, poller, 5_000),
  }
}

const settle = () => new Promise(setImmediate)
const getPoll = (xmax: number, events: ChangeEvent[] = [], at = '2026-01-01T00:00:00.000000Z'): Poll => ({
  snapshot: parseSnapshot(`${xmax}:${xmax}:`),
  since: undefined,
  at,
  epoch: 'e',
  mark: 'm',
  events,
  distrusted: [],
})
const getStamp = (xmax: number) => ({
  customerId: 'acme',
  dependsOn: ['products'],
  snapshot: parseSnapshot(`${xmax}:${xmax}:`),
  epoch: 'e',
})

t.test('a poll is valid for 500 ms from its start, by the clock that advanced more', async (t) => {
  const { clock, asked, poller, give } = await setUp()
  for (const moved of ['monotonic', 'wall'] as const) {
    clock[moved] += 500
    t.ok(poller.isLeased())
    clock[moved] += 1
    t.notOk(poller.isLeased(), moved)
    const confirmed = poller.confirm()
    await settle()
    clock[moved] += 400
    asked.at(-1)?.give(getPoll(100))
    t.ok(await confirmed)
    clock[moved] += 100
    t.ok(poller.isLeased(), 'counted from its sending')
    clock[moved] += 1
    t.notOk(poller.isLeased())
    await give(getPoll(100))
  }
  clock.wall -= 1_000_000
  clock.monotonic += 501
  t.notOk(poller.isLeased(), 'a wall clock that was set back lends no time')
  await poller.close()
})

t.test('at most one poll is in flight and one queued', async (t) => {
  const { asked, poller } = await setUp()
  const joined = [poller.confirm(), poller.confirm(), poller.confirm()]
  const after = [poller.confirmAfter(), poller.confirmAfter()]
  await settle()
  t.equal(asked.length, 2)
  asked[1]?.give(getPoll(101))
  t.same(await Promise.all(joined), [true, true, true])
  await settle()
  t.equal(asked.length, 3, 'the second of them began after it was asked for')
  t.equal(asked[2]?.since, '101:101:')
  const late = poller.confirmAfter()
  asked[2]?.give(getPoll(102))
  t.same(await Promise.all(after), [true, true])
  await settle()
  t.equal(asked.length, 4)
  asked[3]?.give(getPoll(102))
  t.ok(await late)
  await poller.close()
})

t.test('logs a failed poll once, and the recovery once', async (t) => {
  const { asked, poller, warnings } = await setUp(1)
  for (let n = 1; n <= 3; n++) {
    await until('it polls', () => asked.length === n + 1)
    const failed = poller.confirm()
    asked[n]?.fail()
    t.notOk(await failed)
    t.ok(poller.isDown())
  }
  t.equal(warnings.length, 1)
  const good = poller.confirmAfter()
  await until('it polls', () => asked.length === 5)
  asked[4]?.give(getPoll(100))
  t.ok(await good)
  t.notOk(poller.isDown())
  t.equal(warnings.length, 2)
  await poller.close()
})

t.test('while polls fail, a request waits for the poll that is due', async (t) => {
  // Longer than the lines below take on a busy machine.
  const { asked, poller, fail } = await setUp(500)
  const queued = poller.confirm().then(poller.confirmAfter)
  await settle()
  const after = poller.confirmAfter()
  asked[1]?.fail()
  await settle()
  const waiting = [poller.confirm(), poller.confirmAfter(), after, queued]
  await settle()
  t.equal(asked.length, 2, 'no request starts a poll')
  await until('it is due', () => asked.length === 3)
  const joined = poller.confirm()
  asked[2]?.give(getPoll(100))
  t.same(await Promise.all([...waiting, joined]), [true, true, true, true, true])
  t.equal(asked.length, 3)

  t.notOk(await fail())
  const last = poller.confirm()
  await poller.close()
  t.notOk(await last, 'and nobody waits for one that never comes')
})

t.test('a poll that took longer than the interval is followed immediately by the next one', async (t) => {
  const intervalMs = 1_000_000
  const { clock, asked, poller } = await setUp(intervalMs)
  const slow = poller.confirm()
  await settle()
  clock.monotonic += intervalMs
  asked[1]?.give(getPoll(100))
  t.ok(await slow)
  await until('the next one is sent', () => asked.length === 3)
  clock.monotonic += intervalMs
  asked[2]?.fail()
  t.notOk(await poller.confirm())
  await settle()
  t.equal(asked.length, 3, 'after one that failed the database has its rest')
  await poller.close()
})

t.test('a poll is followed by the next one after the interval, not immediately', async (t) => {
  const { asked, poller, give } = await setUp()
  t.ok(await give(getPoll(100)))
  // A timer without an interval would have fired by now.
  await delay(3)
  t.equal(asked.length, 2)
  await poller.close()
})

t.test('no poll follows the end, with or without one in flight', async (t) => {
  const intervalMs = 1
  for (const isInFlight of [false, true]) {
    const { asked, poller } = await setUp(intervalMs)
    if (isInFlight) {
      void poller.confirm()
      await settle()
    }
    const { length } = asked
    const closing = poller.close()
    asked.at(-1)?.give(getPoll(100))
    await closing
    // Timers fire in the order of their ends, so a poll would be sent by now.
    await delay(3 * intervalMs)
    t.equal(asked.length, length)
  }
})

t.test('repeats a failed first poll', async (t) => {
  const fence = createFence()
  let asked = 0
  const source: ChangeSource = {
    begin: async () => undefined,
    poll: async () => {
      asked += 1
      if (asked < 3) throw new Error('no answer')
      return getPoll(100)
    },
    close: async () => {},
  }
  const clock = createLeaseClock(
    () => 0,
    () => 0,
  )
  const poller = createPoller({ source, fence, clock, warn: () => {}, intervalMs: 1 })
  await poller.start()
  t.ok(poller.isLeased())
  t.equal(asked, 3)
  await poller.close()
})

t.test('listeners receive the changes, or a signal that anything may have changed', async (t) => {
  const { poller, give } = await setUp()
  const heard: unknown[] = []
  const stop = poller.listen((events) => heard.push(events))
  const change = { xid: 100, customerId: 'acme', resource: 'products' }
  const polls = [getPoll(101), getPoll(102, [change]), { ...getPoll(103), events: undefined }]
  for (const poll of [...polls, { ...getPoll(50), epoch: 'f' }]) await give(poll)
  t.same(heard, [[change], undefined, undefined])
  stop()
  await poller.close()
})

t.test('uses the day of the database, advanced by the monotonic clock', async (t) => {
  const { clock, poller, give } = await setUp()
  await give(getPoll(100, [], '2030-12-31T23:59:59.500000Z'))
  clock.wall += 86_400_000
  t.equal(new Date(poller.databaseNow()).toISOString(), '2030-12-31T23:59:59.500Z')
  clock.monotonic += 500
  t.equal(new Date(poller.databaseNow()).toISOString(), '2031-01-01T00:00:00.000Z')
  await poller.close()
})

t.test(
  "the database's clock has whole milliseconds, and this machine's is used before the first poll",
  async (t) => {
    const clock = { monotonic: 1_000.75, wall: 1_700_000_000_000.5 }
    const fence = createFence()
    const poller = createPoller({
      source: {
        begin: async () => undefined,
        poll: async () => getPoll(100, [], '2030-12-31T23:59:59.500000Z'),
        close: async () => {},
      },
      fence,
      clock: createLeaseClock(
        () => clock.monotonic,
        () => clock.wall,
      ),
      warn: () => {},
      intervalMs: 1_000_000,
    })
    t.equal(poller.databaseNow(), 1_700_000_000_000)
    await poller.start()
    clock.monotonic += 0.9
    t.equal(poller.databaseNow(), Date.parse('2030-12-31T23:59:59.500Z'))
    clock.monotonic += 0.2
    t.equal(poller.databaseNow(), Date.parse('2030-12-31T23:59:59.501Z'))
    await poller.close()
  },
)

t.test('without a lease an answer waits for a poll that decides', async (t) => {
  const { clock, asked, freshness, poller } = await setUp()
  const entry = getStamp(100)
  t.equal(freshness.check(entry), 'fresh')
  clock.monotonic += 501
  const same = freshness.check(entry)
  t.ok(same instanceof Promise)
  await settle()
  asked.at(-1)?.give(getPoll(101))
  t.equal(await same, 'fresh')
  clock.monotonic += 501
  const changed = freshness.check(entry)
  await settle()
  asked.at(-1)?.give(getPoll(102, [{ xid: 101, customerId: 'acme', resource: 'products' }]))
  t.equal(await changed, 'behind')
  await poller.close()
})

t.test('a poll that took longer than its lease is repeated, because the database may be lost', async (t) => {
  const { clock, asked, freshness, poller } = await setUp()
  const slow = async (end: () => void) => {
    clock.monotonic += 501
    const verdict = freshness.check(getStamp(100))
    await settle()
    clock.wall += 600
    asked.at(-1)?.give(getPoll(100))
    await settle()
    end()
    return verdict
  }
  t.equal(await slow(() => asked.at(-1)?.give(getPoll(100))), 'fresh')
  const slowAgain = () => {
    clock.wall += 600
    asked.at(-1)?.give(getPoll(100))
  }
  t.equal(await slow(slowAgain), 'behind')
  t.equal(await slow(() => asked.at(-1)?.fail()), 'stale')
  await poller.close()
})

t.test('an answer older than a served one is stale, not behind, if no poll can decide', async (t) => {
  const { asked, fence, freshness, poller } = await setUp(1)
  const older = getStamp(100)
  t.equal(freshness.check(older), 'fresh')
  fence.noteServed(getStamp(101))
  const unsure = freshness.check(older)
  t.ok(unsure instanceof Promise, 'the next poll will tell')
  await settle()
  asked.at(-1)?.fail()
  t.equal(await unsure, 'stale')
  const confirmed = freshness.confirmAfter()
  await until('the next poll', () => asked.length === 3)
  asked[2]?.give(getPoll(102, [{ xid: 100, customerId: 'acme', resource: 'products' }]))
  await confirmed
  t.equal(freshness.check(older), 'behind', 'once it is known to lack a change')
  await poller.close()
})

t.test(
  'while the database is unreachable, answers are stale for a time, but never lack a known change',
  async (t) => {
    const { clock, asked, freshness, poller, give } = await setUp()
    await give(getPoll(102, [{ xid: 101, customerId: 'acme', resource: 'products' }]))
    clock.monotonic += 501
    const waited = freshness.check(getStamp(102))
    await settle()
    asked.at(-1)?.fail()
    t.equal(await waited, 'stale')
    t.equal(freshness.check(getStamp(102)), 'stale', 'at once: nobody waits again')
    t.equal(freshness.staleSeconds(), 1)
    t.equal(freshness.check(getStamp(101)), 'behind')
    clock.monotonic += 4_499
    t.equal(freshness.check(getStamp(102)), 'stale')
    t.equal(freshness.staleSeconds(), 5)
    clock.monotonic += 1
    t.equal(freshness.check(getStamp(102)), 'behind', 'not longer than configured')
    await poller.close()
  },
)
