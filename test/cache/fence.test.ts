import t from 'tap'
import { createFence } from '../../app/cache/fence.ts'
import {
  includesSnapshot,
  isVisible,
  parseSnapshot,
  rankSnapshot,
  type Snapshot,
} from '../../app/cache/snapshot.ts'
import type { ChangeEvent, Poll, Stamped } from '../../app/cache/stamped.ts'
import { cases, fc } from '../random.ts'

const poll = (snapshot: Snapshot, events: Poll['events'], more: Partial<Poll> = {}): Poll => ({
  snapshot,
  events,
  distrusted: [],
  at: '2026-01-01T00:00:00.000000Z',
  epoch: 'e',
  mark: 'm',
  since: undefined,
  ...more,
})
const stamp = (snapshot: Snapshot, dependsOn = ['products'], customerId = 'acme'): Stamped => ({
  customerId,
  dependsOn,
  snapshot,
  epoch: 'e',
})
const event = (xid: number, customerId = 'acme', resource = 'products'): ChangeEvent => ({
  xid,
  customerId,
  resource,
})
const at = parseSnapshot

const started = (maxEvents?: number) => {
  const fence = createFence(maxEvents)
  fence.apply(poll(at('100:100:'), undefined))
  return fence
}

t.test('parses snapshots as PostgreSQL writes them and rejects other texts', async (t) => {
  t.same(at('10:20:10,14,15'), { xmin: 10, xmax: 20, xip: [10, 14, 15], text: '10:20:10,14,15' })
  t.same(at('7:7:'), { xmin: 7, xmax: 7, xip: [], text: '7:7:' })
  t.same(
    at('10:20:', true),
    { xmin: 10, xmax: 10, xip: [], text: '10:10:', ceiling: 20 },
    'a standby knows only xmin',
  )
  for (const text of ['', '1:2', '1:2:3,', '1:2:,3', 'a:b:', '1:2:3 ', '-1:2:']) {
    t.throws(() => at(text), TypeError, text)
  }
  t.throws(() => at('1:9007199254740992:'), RangeError)
})

t.test('visible means below xmin, or below xmax and not running', async (t) => {
  const snapshot = at('10:15:10,12')
  t.same(
    [9, 10, 11, 12, 13, 14, 15, 16].map((xid) => isVisible(xid, snapshot)),
    [true, false, true, false, true, true, false, false],
  )
})

t.test('an entry is fresh until a change of its dependencies is polled', async (t) => {
  const fence = started()
  const entry = stamp(at('100:100:'))
  t.equal(fence.compare(entry), 'fresh')
  fence.apply(poll(at('101:101:'), [event(100, 'bolt')]))
  t.equal(fence.compare(entry), 'fresh', "another customer's change")
  fence.apply(poll(at('102:102:'), [event(101, 'acme', 'lab')]))
  t.equal(fence.compare(entry), 'fresh', 'a change of something else')
  fence.apply(poll(at('103:103:'), [event(102)]))
  t.equal(fence.compare(entry), 'behind')
  t.equal(fence.compare(stamp(at('103:103:'))), 'fresh', 'what shows it')
})

t.test(
  'a change affects every key that depends on its resource, or all keys with the wildcard',
  async (t) => {
    const changes = [event(100, 'acme', 'countries'), event(100, '*', 'countries'), event(100, '*', '*')]
    for (const change of [...changes, event(100, 'acme', '*')]) {
      const fence = started()
      fence.apply(poll(at('101:101:'), [change]))
      t.equal(
        fence.compare(stamp(at('100:100:'), ['certificates', 'countries'])),
        'behind',
        JSON.stringify(change),
      )
      const other = fence.compare(stamp(at('100:100:'), ['certificates', 'countries'], 'bolt'))
      t.equal(other, change.customerId === '*' ? 'behind' : 'fresh')
    }
  },
)

t.test('a late commit makes an entry stale that was filled before it', async (t) => {
  const fence = started()
  fence.apply(poll(at('101:105:101'), []))
  const entry = stamp(at('101:106:101'))
  const newer = stamp(at('102:107:'))
  t.equal(fence.compare(entry), 'fresh')
  fence.apply(poll(at('107:107:'), [event(101)]))
  t.equal(fence.compare(entry), 'behind', 'its transaction was running when the entry was read')
  t.equal(fence.compare(newer), 'fresh')
})

t.test('entries before the floor are stale: after the start, too many events or a lost poll', async (t) => {
  const fence = started(3)
  t.equal(fence.compare(stamp(at('99:99:'))), 'behind', 'before the start')
  t.equal(fence.compare(stamp(at('99:100:99'))), 'behind', 'one transaction before it')
  const entry = stamp(at('100:100:'), ['lab'])
  for (const xid of [100, 101, 102]) fence.apply(poll(at(`${xid + 1}:${xid + 1}:`), [event(xid)]))
  t.equal(fence.compare(entry), 'fresh')
  fence.apply(poll(at('104:104:'), [event(103)]))
  t.equal(fence.size, 3)
  t.equal(fence.compare(entry), 'behind', 'nobody knows any more what 100 changed')
  const later = stamp(at('104:104:'), ['lab'])
  t.equal(fence.compare(later), 'fresh')
  fence.apply(poll(at('105:105:'), undefined))
  t.equal(fence.compare(later), 'behind', 'anything may have changed')
})

t.test(
  'a resource keeps its newer changes and its served answer when its oldest change is evicted',
  async (t) => {
    const evict = (fence: ReturnType<typeof started>) =>
      fence.apply(
        poll(
          at('106:106:'),
          [103, 104, 105].map((xid) => event(xid, 'acme', 'lab')),
        ),
      )
    const changedTwice = started(4)
    changedTwice.apply(poll(at('101:101:'), [event(100)]))
    changedTwice.apply(poll(at('102:102:'), [event(101)]))
    evict(changedTwice)
    t.equal(changedTwice.size, 4)
    t.equal(changedTwice.compare(stamp(at('101:101:'))), 'behind')
    t.equal(changedTwice.compare(stamp(at('102:102:'))), 'fresh')

    const served = started(3)
    served.apply(poll(at('101:101:'), [event(100)]))
    served.noteServed(stamp(at('110:110:')))
    evict(served)
    t.equal(served.size, 3)
    t.equal(served.compare(stamp(at('106:106:'))), 'unsure', 'it may lack a change that was served')
    t.equal(served.compare(stamp(at('110:110:'))), 'fresh')
  },
)

t.test('forgets the changes of several polls together and keeps newer ones', async (t) => {
  const fence = createFence(300)
  fence.apply(poll(at('100:100:'), undefined))
  const snapshotAfter = (xid: number) => at(`${xid + 1}:${xid + 1}:`)
  for (let xid = 100; xid < 400; xid += 1) fence.apply(poll(snapshotAfter(xid), [event(xid)]))
  t.equal(fence.compare(stamp(at('100:100:'), ['lab'])), 'fresh')
  fence.apply(poll(snapshotAfter(400), [event(400)]))
  t.equal(fence.size, 298, 'the first three went, a hundredth')
  t.equal(
    fence.compare(stamp(snapshotAfter(101), ['lab'])),
    'behind',
    'nobody knows any more what 102 changed',
  )
  t.equal(fence.compare(stamp(snapshotAfter(102), ['lab'])), 'fresh')
  t.equal(fence.compare(stamp(snapshotAfter(399))), 'behind', 'what is kept is known one by one')
  t.equal(fence.compare(stamp(snapshotAfter(400))), 'fresh')
})

t.test('a process that reads the log back serves entries as old as the log it read', async (t) => {
  const fence = createFence()
  t.equal(fence.compare(stamp(at('100:100:'))), 'behind', 'nothing before the first poll')
  fence.apply(poll(at('100:100:'), [event(60)], { since: at('50:50:') }))
  t.equal(fence.compare(stamp(at('50:50:'), ['lab'])), 'fresh')
  t.equal(fence.compare(stamp(at('50:50:'))), 'behind')
  t.equal(fence.compare(stamp(at('61:61:'))), 'fresh')
  t.equal(fence.compare(stamp(at('49:49:'), ['lab'])), 'behind')
})

t.test('another database or another start of it begins another history', async (t) => {
  const fence = started()
  const entry = stamp(at('100:100:'))
  t.equal(fence.compare(entry), 'fresh')
  t.equal(fence.compare({ ...stamp(at('100:100:')), epoch: 'f' }), 'behind', 'an entry of another one')
  t.throws(() => fence.apply(poll(at('99:99:'), [])), /went back in time/)
  fence.apply(poll(at('50:50:'), [], { epoch: 'f' }))
  t.equal(fence.compare(entry), 'behind', 'though its numbers are higher')
})

t.test('an answer older than a served one waits for a poll', async (t) => {
  const fence = started()
  const older = stamp(at('100:100:'))
  const newer = stamp(at('101:101:'))
  t.equal(fence.compare(older), 'fresh')
  fence.noteServed(newer)
  t.equal(fence.compare(older), 'unsure')
  t.equal(fence.compare(stamp(at('100:100:'), ['lab'])), 'fresh', 'another resource')
  t.equal(fence.compare(stamp(at('100:100:'), ['products'], 'bolt')), 'fresh', 'another customer')
  t.equal(fence.compare(newer), 'fresh')
  fence.apply(poll(at('101:101:'), []))
  t.equal(fence.compare(older), 'fresh', 'nothing had changed')
  fence.noteServed(stamp(at('103:103:')))
  t.equal(fence.compare(newer), 'unsure')
  fence.apply(poll(at('103:103:'), [event(102)]))
  t.equal(fence.compare(newer), 'behind', 'something had')
})

t.test('earlier answers still bind later ones after a poll without details', async (t) => {
  const fence = started()
  fence.noteServed(stamp(at('105:105:')))
  fence.apply(poll(at('102:102:'), undefined))
  const older = stamp(at('103:103:'))
  t.equal(fence.compare(older), 'unsure')
  fence.apply(poll(at('105:105:'), [event(104)]))
  t.equal(fence.compare(older), 'behind')
  fence.noteServed(stamp(at('110:110:')))
  fence.apply(poll(at('50:50:'), [], { epoch: 'f' }))
  t.equal(fence.compare({ ...stamp(at('50:50:')), epoch: 'f' }), 'fresh', 'but not in another history')
})

t.test('an answer of a standby waits for a poll that covers its data', async (t) => {
  const fence = started()
  const ofStandby = stamp(parseSnapshot('100:103:', true))
  t.equal(fence.compare(ofStandby), 'unsure')
  fence.apply(poll(at('102:103:102'), []))
  t.equal(fence.compare(ofStandby), 'unsure', 'one of it still ran')
  fence.apply(poll(at('103:103:'), []))
  t.equal(fence.compare(ofStandby), 'fresh')
})

/** Steps of a model of a primary, in which transactions begin and end in any order. */
type Step =
  | { do: 'begin'; customer: number; resource: number }
  | { do: 'end'; which: number; commits: boolean }
  | { do: 'poll' }
  | { do: 'fill'; customer: number; resources: number[] }
  | { do: 'serve'; which: number }

const customers = ['acme', 'bolt', '*']
const names = ['products', 'lab', '*']
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('begin' as const), customer: fc.nat(2), resource: fc.nat(2) }),
  fc.record({ do: fc.constant('end' as const), which: fc.nat(5), commits: fc.boolean() }),
  fc.record({ do: fc.constant('poll' as const) }),
  fc.record({
    do: fc.constant('fill' as const),
    customer: fc.nat(1),
    resources: fc.uniqueArray(fc.nat(1), { minLength: 1 }),
  }),
  fc.record({ do: fc.constant('serve' as const), which: fc.nat(20) }),
)

type Transaction = { xid: number; customer: string; resource: string; commits?: boolean }

const createPrimary = () => {
  let next = 100
  let running: Transaction[] = []
  const committed: Transaction[] = []
  let ended = 99
  return {
    begin(customer: string, resource: string) {
      running.push({ xid: next++, customer, resource })
    },
    end(which: number, commits: boolean) {
      const transaction = running[which % Math.max(1, running.length)]
      if (!transaction) return
      running = running.filter((each) => each !== transaction)
      ended = Math.max(ended, transaction.xid)
      if (commits) committed.push(transaction)
    },
    snapshot(): Snapshot {
      const xmax = ended + 1
      const xip = running.map(({ xid }) => xid).filter((xid) => xid < xmax)
      const xmin = Math.min(xmax, ...running.map(({ xid }) => xid))
      return at(`${xmin}:${xmax}:${xip.join(',')}`)
    },
    committed: () => [...committed],
  }
}

const concerns = ({ customer, resource }: Transaction, { customerId, dependsOn }: Stamped) =>
  (customer === '*' || customer === customerId) && (resource === '*' || dependsOn.includes(resource))

t.test('in random histories no fresh answer lacks a polled change or precedes a served answer', async (t) => {
  let judged = 0
  let fresh = 0
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 60, maxLength: 160 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 0, max: 6 }),
      (steps, maxEvents, maxBatch) => {
        const primary = createPrimary()
        const fence = createFence(maxEvents, maxBatch)
        fence.apply(poll(primary.snapshot(), undefined))
        let polled = new Set<Transaction>()
        const served: { entry: Stamped; shown: Transaction[] }[] = []
        const entries: Stamped[] = []
        for (const action of steps) {
          if (action.do === 'begin')
            primary.begin(customers[action.customer] ?? '', names[action.resource] ?? '')
          else if (action.do === 'end') primary.end(action.which, action.commits)
          else if (action.do === 'poll') {
            const snapshot = primary.snapshot()
            const before = (fence.last as Poll).snapshot
            const visible = primary.committed().filter(({ xid }) => isVisible(xid, snapshot))
            const events = visible
              .filter(({ xid }) => !isVisible(xid, before))
              .map(({ xid, customer, resource }) => event(xid, customer, resource))
            fence.apply(poll(snapshot, events))
            polled = new Set(visible)
          } else if (action.do === 'fill') {
            const dependsOn = action.resources.map((index) => names[index] ?? '')
            entries.push(stamp(primary.snapshot(), dependsOn, customers[action.customer]))
          } else {
            const entry = entries[action.which % Math.max(1, entries.length)]
            if (!entry) continue
            judged += 1
            if (fence.compare(entry) !== 'fresh') continue
            fresh += 1
            const shown = (transaction: Transaction) => isVisible(transaction.xid, entry.snapshot)
            const mine = (transaction: Transaction) => concerns(transaction, entry)
            for (const transaction of polled) {
              if (mine(transaction) && !shown(transaction)) throw new Error(`lacks ${transaction.xid}`)
            }
            for (const earlier of served) {
              const { customerId, dependsOn } = earlier.entry
              const isRelated = dependsOn.some((name) => entry.dependsOn.includes(name))
              if (customerId !== entry.customerId || !isRelated) continue
              const common = earlier.shown.filter((each) => mine(each) && concerns(each, earlier.entry))
              const missing = common.find((each) => !shown(each))
              if (missing) throw new Error(`has shown ${missing.xid} before`)
            }
            served.push({ entry, shown: primary.committed().filter(shown) })
          }
        }
      },
    ),
    { numRuns: cases(500) },
  )
  t.ok(
    fresh > judged / 4 && judged - fresh > judged / 4,
    `${fresh} of ${judged} were fresh: the test can tell`,
  )
})

t.test(
  'of two snapshots with one end, the one with fewer running transactions has the higher rank',
  async (t) => {
    const [older, newer] = [rankSnapshot(parseSnapshot('1:5:3')), rankSnapshot(parseSnapshot('1:5:'))]
    t.ok(older < newer)
    const xip = Array.from({ length: 100_001 }, (_, index) => index + 1)
    t.equal(
      rankSnapshot(parseSnapshot(`1:200000:${xip}`)).length,
      newer.length,
      'also with more than five digits',
    )
  },
)

t.test('ranks sort the snapshots of one primary in the order of their creation', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const primary = createPrimary()
      const taken: Snapshot[] = []
      for (const action of steps) {
        if (action.do === 'begin') primary.begin('acme', 'products')
        else if (action.do === 'end') primary.end(action.which, action.commits)
        taken.push(primary.snapshot())
      }
      for (const [index, snapshot] of taken.entries()) {
        const previous = taken[index - 1]
        if (!previous) continue
        if (!includesSnapshot(snapshot, previous)) throw new Error(`${snapshot.text} after ${previous.text}`)
        const sorts = rankSnapshot(snapshot) >= rankSnapshot(previous)
        if (!sorts) throw new Error(`${snapshot.text} ranks below ${previous.text}`)
        if (snapshot.text !== previous.text && includesSnapshot(previous, snapshot)) {
          const gained = primary
            .committed()
            .some(({ xid }) => isVisible(xid, snapshot) && !isVisible(xid, previous))
          if (gained) throw new Error(`${previous.text} does not show what ${snapshot.text} does`)
        }
      }
    }),
  )
  t.pass()
})

t.test('data of a distrusted resource are too old 9.4 s after their read', async (t) => {
  const fence = started()
  const minute = (seconds: string) => `2026-01-01T00:00:${seconds}00Z`
  const read = { ...stamp(at('100:100:')), at: minute('10.00') }
  const isOld = (stamped: Stamped, polledAt: string, distrusted = ['products']) => {
    fence.apply(poll(at('100:100:'), [], { at: polledAt, distrusted }))
    return fence.compare(stamped) !== 'fresh'
  }
  t.notOk(isOld(read, minute('59.00'), []), 'trusted data have no age')
  t.notOk(isOld(read, minute('59.00'), ['lab']), 'another resource')
  t.notOk(isOld(read, minute('19.40')))
  t.ok(isOld(read, minute('19.50')), 'although nothing was logged, and the data were fresh before')
  t.ok(isOld({ ...read, dependsOn: ['lab', 'products'] }, minute('19.50')), 'included records')
  t.notOk(isOld(read, minute('09.50')), 'read after the poll')
  t.ok(isOld(read, minute('08.00')), "the database's clock was set back")
  t.ok(isOld(stamp(at('100:100:')), minute('10.00')), 'data of unknown age, as those of a standby')
  t.ok(fence.isDistrusted('products'))
  t.notOk(isOld(read, minute('59.00'), []), 'trusted again')
  t.notOk(fence.isDistrusted('products'))
})
