import t from 'tap'
import { createFence } from '../../app/cache/fence.ts'
import { createFreshnessCheck, createLeaseClock } from '../../app/cache/freshness.ts'
import { createMarks } from '../../app/cache/marks.ts'
import { createPoller } from '../../app/cache/poller.ts'
import { parseSnapshot } from '../../app/cache/snapshot.ts'
import type { ChangeEvent, Poll, Position } from '../../app/cache/stamped.ts'

/** When the fence proves that nothing has changed since a client's state. Snapshots: `n` shows all below n. */
const at = (xmax: number) => parseSnapshot(`${xmax}:${xmax}:`)
const event = (xid: number, customerId = 'acme', resource = 'products'): ChangeEvent => ({
  xid,
  customerId,
  resource,
})
const getPoll = (xmax: number, more: Partial<Poll> = {}): Poll => ({
  snapshot: at(xmax),
  at: '2026-01-01T00:00:00.000000Z',
  epoch: 'database server',
  mark: 'first',
  since: undefined,
  events: [],
  distrusted: [],
  ...more,
})
const getPosition = (xmax: number, more: Partial<Position> = {}): Position => ({
  customerId: 'acme',
  dependsOn: ['products', 'settings'],
  snapshot: at(xmax),
  identity: 'database',
  mark: 'first',
  ...more,
})

/** Polls have shown all transactions below 110. */
const start = (maxEvents?: number) => {
  const fence = createFence(maxEvents)
  fence.apply(getPoll(100, { events: undefined }))
  fence.apply(getPoll(110))
  return fence
}

t.test('a state between the first and the last poll is unchanged if no event concerns it', async (t) => {
  const fence = start()
  t.notOk(createFence().isUnchanged(getPosition(105)), 'before the first poll')
  t.ok(fence.isUnchanged(getPosition(105)))
  t.notOk(fence.isUnchanged(getPosition(99)), 'before the floor')
  t.notOk(fence.isUnchanged(getPosition(111)), 'after the last poll')
  fence.apply(getPoll(120, { events: [event(115)] }))
  t.notOk(fence.isUnchanged(getPosition(105)))
  t.ok(fence.isUnchanged(getPosition(116)), 'a state that shows the event')
  t.ok(fence.isUnchanged(getPosition(105, { dependsOn: ['countries', 'settings'] })))
})

t.test('each dependency and each wildcard counts', async (t) => {
  const events = [
    event(115, 'acme', 'settings'),
    event(115, '*', 'products'),
    event(115, 'acme', '*'),
    event(115, '*', '*'),
  ]
  for (const each of events) {
    const fence = start()
    fence.apply(getPoll(120, { events: [each] }))
    t.notOk(fence.isUnchanged(getPosition(105)), `${each.customerId} ${each.resource}`)
  }
})

t.test('after an eviction or a poll with too many events, older states are uncertain', async (t) => {
  const fence = start(1)
  const position = getPosition(105, { dependsOn: ['lab'] })
  fence.apply(getPoll(120, { events: [event(115)] }))
  t.ok(fence.isUnchanged(position))
  fence.apply(getPoll(130, { events: [event(125)] }))
  t.notOk(fence.isUnchanged(position))
  const flooded = start()
  flooded.apply(getPoll(120, { events: undefined }))
  t.notOk(flooded.isUnchanged(getPosition(110)))
  t.ok(flooded.isUnchanged(getPosition(120)))
})

t.test('a state of another database or with an unknown mark is uncertain', async (t) => {
  const fence = start()
  t.notOk(fence.isUnchanged(getPosition(105, { identity: 'data' })))
  t.notOk(fence.isUnchanged(getPosition(105, { identity: 'database server' })))
  t.notOk(fence.isUnchanged(getPosition(105, { mark: 'lost' })))
})

t.test('a restored copy has the same identity, but no mark of the lost future', async (t) => {
  const fence = start()
  fence.apply(getPoll(115, { mark: 'second' }))
  fence.apply(getPoll(120, { mark: 'second' }))
  t.ok(fence.isUnchanged(getPosition(119, { mark: 'second' })))
  // The copy was made at 105. Its server writes a mark, and uses the lost numbers again.
  const restored = { epoch: 'database server-2', mark: 'third' }
  fence.apply(getPoll(106, restored))
  fence.apply(getPoll(130, { ...restored, events: [event(112)] }))
  t.notOk(fence.isUnchanged(getPosition(119, { mark: 'second' })), 'lost')
  t.notOk(fence.isUnchanged(getPosition(119)), 'lost before a mark was written')
  t.notOk(fence.isUnchanged(getPosition(105)), 'from before the copy')
  t.ok(fence.isUnchanged(getPosition(113, { mark: 'third' })))
})

t.test('an older mark counts for the snapshots between two polls that showed it', async (t) => {
  const fence = start()
  fence.apply(getPoll(120, { mark: 'second' }))
  fence.apply(getPoll(130, { mark: 'second' }))
  fence.apply(getPoll(140, { mark: 'third' }))
  t.ok(fence.isUnchanged(getPosition(120, { mark: 'second' })))
  t.ok(fence.isUnchanged(getPosition(130, { mark: 'second' })))
  t.notOk(fence.isUnchanged(getPosition(119, { mark: 'second' })), 'the mark may be newer')
  t.notOk(fence.isUnchanged(getPosition(131, { mark: 'second' })), 'another mark may be older')
  t.ok(fence.isUnchanged(getPosition(135, { mark: 'third' })), 'the newest mark')
})

t.test('the number of marks is bounded', async (t) => {
  const marks = createMarks(2)
  for (const [index, name] of ['a', 'b', 'c'].entries()) marks.note(name, at(100 + index))
  t.same(
    ['a', 'b', 'c'].map((name, index) => marks.isNewestIn(name, at(100 + index))),
    [false, true, true],
  )
})

t.test('a distrusted dependency makes a state uncertain', async (t) => {
  const fence = start()
  fence.apply(getPoll(120, { distrusted: ['settings'] }))
  t.notOk(fence.isUnchanged(getPosition(120)))
  t.ok(fence.isUnchanged(getPosition(120, { dependsOn: ['lab'] })))
})

t.test('a state older than a served answer is uncertain until the next poll', async (t) => {
  const fence = start()
  fence.noteServed({ ...getPosition(112), epoch: 'database server' })
  t.notOk(fence.isUnchanged(getPosition(110)))
  t.ok(fence.isUnchanged(getPosition(110, { dependsOn: ['lab'] })))
  fence.apply(getPoll(120))
  t.ok(fence.isUnchanged(getPosition(110)))
})

t.test('the check records nothing', async (t) => {
  const fence = start()
  const older = { ...getPosition(105), epoch: 'database server' }
  t.notOk(fence.isUnchanged(getPosition(115)))
  t.equal(fence.compare(older), 'fresh')
  t.equal(fence.size, 0)
})

const openFreshness = async () => {
  const clock = { ms: 0 }
  const answers: (Poll | Error)[] = [getPoll(100, { events: undefined })]
  const fence = createFence()
  let polls = 0
  const poller = createPoller({
    fence,
    clock: createLeaseClock(
      () => clock.ms,
      () => 0,
    ),
    source: {
      begin: async () => undefined,
      async poll() {
        polls += 1
        const answer = answers.shift()
        if (!answer || answer instanceof Error) throw answer ?? new Error('no answer')
        return answer
      },
      close: async () => {},
    },
    warn: () => {},
    intervalMs: 1_000_000,
  })
  await poller.start()
  const freshness = createFreshnessCheck(fence, poller, 5_000)
  const prove = async (noCache = false) =>
    (await freshness.proveUnchanged(getPosition(100), noCache))?.snapshot.xmax
  return { clock, answers, poller, freshness, prove, getPolls: () => polls }
}

t.test('with a lease, the proof needs no poll, and names the last one', async (t) => {
  const { clock, poller, prove, getPolls } = await openFreshness()
  clock.ms = 500
  t.equal(await prove(), 100)
  t.equal(getPolls(), 1)
  await poller.close()
})

t.test('without a lease, the proof needs one poll, which may report a change', async (t) => {
  const { clock, answers, poller, prove, getPolls } = await openFreshness()
  clock.ms = 501
  answers.push(getPoll(110))
  t.equal(await prove(), 110)
  t.equal(getPolls(), 2)
  clock.ms += 501
  answers.push(getPoll(120, { events: [event(115)] }))
  t.equal(await prove(), undefined)
  await poller.close()
})

t.test('there is no proof if the poll fails', async (t) => {
  const { clock, answers, poller, prove, getPolls } = await openFreshness()
  clock.ms = 501
  answers.push(new Error('unreachable'))
  t.equal(await prove(), undefined)
  t.equal(await prove(), undefined, 'while polls fail')
  t.equal(getPolls(), 2, 'without further polls')
  await poller.close()
})

t.test('a poll that took longer than its lease is no proof', async (t) => {
  const { clock, answers, poller, prove } = await openFreshness()
  answers.push(getPoll(110))
  const proving = prove(true)
  clock.ms = 501
  t.equal(await proving, undefined)
  await poller.close()
})

t.test('with no-cache, the proof needs a poll that starts later', async (t) => {
  const { answers, poller, prove } = await openFreshness()
  answers.push(getPoll(110))
  t.equal(await prove(true), 110)
  answers.push(getPoll(120, { events: [event(115)] }))
  t.equal(await prove(), 110)
  t.equal(await prove(true), undefined)
  t.equal(answers.length, 0)
  await poller.close()
})
