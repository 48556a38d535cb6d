import t from 'tap'
import { judge, type Rules } from '../../checks/freshness/judge.ts'
import type { Read, Revocation, Version } from '../../checks/freshness/log.ts'

const strict: Rules = {
  mayNotKnowRights: false,
  mayFail: false,
  mayRefuseNoCache: false,
  mayRefuseTokens: false,
}

const wall = (ms: number) => 1_000_000 + ms

const initial: Version = {
  counter: 0,
  transaction: -1,
  views: ['all'],
  startedAt: Number.NEGATIVE_INFINITY,
  outcome: 'committed',
  ackedAt: Number.NEGATIVE_INFINITY,
  ackedAtWall: Number.NEGATIVE_INFINITY,
}

const committed = (counter: number, ackedAt: number, more: Partial<Version> = {}): Version => ({
  ...initial,
  counter,
  transaction: 100 + ackedAt,
  startedAt: ackedAt - 10,
  ackedAt,
  ackedAtWall: wall(ackedAt),
  ...more,
})

const never = { ackedAt: Number.POSITIVE_INFINITY, ackedAtWall: Number.POSITIVE_INFINITY }

const read = (sentAt: number, seen: Read['seen'], more: Partial<Read> = {}): Read => ({
  instance: 'A.1',
  customer: 'alpha',
  url: '/v1/x',
  token: 'token',
  noCache: false,
  sentAt,
  receivedAt: sentAt + 5,
  status: 200,
  seen,
  foreign: [],
  isStale: false,
  ...more,
})

const shows = (record: string, counter: number) => ({ record, counter })
const lacks = (record: string) => ({ record, missingFrom: 'all' })

type Given = { writes?: Record<string, Version[]>; reads: Read[]; revocations?: Revocation[] }

const judged = ({ writes = {}, reads, revocations = [] }: Given, rules = strict) =>
  judge({ writes: new Map(Object.entries(writes)), reads, revocations }, rules)
const kinds = (given: Given, rules = strict) => judged(given, rules).violations.map(({ kind }) => kind)

const x = [initial, committed(1, 1000), committed(2, 2000)]

t.test('accepts a clean log and measures staleness from the first missing commit', async (t) => {
  const { violations, staleness, reads } = judged({
    writes: { x },
    reads: [
      read(900, [shows('x', 0)]),
      read(1100, [shows('x', 0)]),
      read(1599, [shows('x', 1)]),
      read(2599, [shows('x', 1)]),
      read(2600, [shows('x', 2)]),
    ],
  })
  t.same(violations, [])
  t.same([reads, staleness.worst], [5, 599])
})

t.test('late: a commit acknowledged 600 ms before the request was sent is missing', async (t) => {
  t.same(kinds({ writes: { x }, reads: [read(1599, [shows('x', 0)])] }), [])
  t.same(kinds({ writes: { x }, reads: [read(1600, [shows('x', 0)])] }), ['late'])
  t.same(kinds({ writes: { x }, reads: [read(2000, [lacks('x')])] }), ['unwritten'])
})

t.test('late: a no-cache request gets every commit acknowledged before it', async (t) => {
  const noCache = true
  t.same(kinds({ writes: { x }, reads: [read(1000, [shows('x', 0)], { noCache })] }), [])
  t.same(kinds({ writes: { x }, reads: [read(1001, [shows('x', 0)], { noCache })] }), ['late'])
})

t.test('a labelled stale answer is allowed and counted, but not for no-cache', async (t) => {
  const isStale = true
  const reads = [read(5000, [shows('x', 0)], { isStale }), read(5000, [shows('x', 2)], { isStale })]
  const { violations, stale, staleness } = judged({ writes: { x }, reads })
  t.same([violations, stale, staleness.worst], [[], 2, 0])
  const noCache = read(5000, [shows('x', 0)], { isStale, noCache: true })
  t.match(judged({ writes: { x }, reads: [noCache] }).violations, [
    {
      kind: 'late',
      detail: /^x shows 0; 1 was there 4000 ms before \(200, no-cache, said to be stale, in 5 ms/,
    },
  ])
})

t.test(
  'aborted and unwritten: values that were rolled back, never written, or not written yet',
  async (t) => {
    const rolledBack = { ...committed(3, 2500), ...never, outcome: 'aborted' as const }
    const writes = { x: [...x, rolledBack] }
    t.same(kinds({ writes, reads: [read(2550, [shows('x', 3)])] }), ['aborted'])
    t.same(kinds({ writes, reads: [read(2550, [shows('x', 7)])] }), ['unwritten'])
    t.same(kinds({ writes, reads: [read(100, [shows('x', 1)])] }), ['unwritten'])
    t.same(kinds({ writes, reads: [read(100, [shows('nobody', 1)])] }), ['unwritten'])
  },
)

t.test('a commit without an answer may be seen or not', async (t) => {
  const open = { ...committed(3, 2500), ...never, outcome: 'unknown' as const }
  const writes = { x: [...x, open] }
  t.same(kinds({ writes, reads: [read(9000, [shows('x', 2)]), read(9000, [shows('x', 3)])] }), [])
})

t.test('a record may be missing only after its deletion', async (t) => {
  const writes = { x: [...x, committed(3, 3000, { views: [] }), committed(4, 4000)] }
  t.same(kinds({ writes, reads: [read(3100, [lacks('x')])] }), [])
  t.same(kinds({ writes, reads: [read(4700, [lacks('x')])] }), ['late'])
  t.same(kinds({ writes, reads: [read(3700, [shows('x', 2)])] }), ['late'])
})

t.test('foreign: data of another customer', async (t) => {
  t.same(kinds({ reads: [read(1, [], { foreign: ['beta#1'] })] }), ['foreign'])
})

t.test('torn: half of a transaction', async (t) => {
  const transaction = 7
  const writes = {
    x: [initial, committed(1, 1000, { transaction })],
    y: [initial, committed(1, 1000, { transaction }), committed(2, 1005)],
  }
  t.same(kinds({ writes, reads: [read(1010, [shows('x', 0), shows('y', 0)])] }), [])
  t.same(kinds({ writes, reads: [read(1010, [shows('x', 1), shows('y', 1)])] }), [])
  t.same(kinds({ writes, reads: [read(1010, [shows('x', 0), shows('y', 1)])] }), ['torn'])
  t.same(kinds({ writes, reads: [read(1010, [shows('x', 0), shows('y', 2)])] }), ['torn'])
})

t.test('torn: a commit without an answer happened only if its own value shows', async (t) => {
  const open = { ...never, outcome: 'unknown' as const, transaction: 7 }
  const writes = {
    x: [initial, committed(1, 1000, open)],
    y: [initial, committed(1, 1000, open), committed(2, 1005)],
  }
  t.same(kinds({ writes, reads: [read(1010, [shows('x', 0), shows('y', 2)])] }), [])
  t.same(kinds({ writes, reads: [read(1010, [shows('x', 0), shows('y', 1)])] }), ['torn'])
})

t.test('backwards: one process shows less than it showed before', async (t) => {
  const first = read(2010, [shows('x', 2)])
  const after = (more: Partial<Read>) => [first, read(2020, [shows('x', 1)], { url: '/v1/y', ...more })]
  t.same(kinds({ writes: { x }, reads: after({}) }), ['backwards'])
  t.same(kinds({ writes: { x }, reads: after({ sentAt: 2012 }) }), [], 'asked before the first answer came')
  t.same(kinds({ writes: { x }, reads: after({ instance: 'B.2' }) }), [], 'another process')
  t.same(kinds({ writes: { x }, reads: after({ isStale: true }) }), [], 'it says so')
  const gone = [initial, committed(1, 1000, { views: [] }), committed(2, 2000)]
  const { violations } = judged({ writes: { x: gone }, reads: after({ seen: [lacks('x')] }) })
  t.match(violations[0], { kind: 'backwards', detail: /^x is not there, as of 1 / })
})

t.test('as-of: a commit before Data-As-Of is missing', async (t) => {
  const shown = [shows('x', 1)]
  t.same(kinds({ writes: { x }, reads: [read(2010, shown, { asOf: wall(2000) })] }), [])
  t.same(kinds({ writes: { x }, reads: [read(2010, shown, { asOf: wall(2002) })] }), ['as-of'])
  const isStale = true
  t.same(kinds({ writes: { x }, reads: [read(2010, shown, { asOf: wall(2002), isStale })] }), ['as-of'])
})

t.test('revoked and refused: rights end within a second, and only after a revocation', async (t) => {
  const revocations = [{ token: 'token', startedAt: 1000, ackedAt: 1010 }]
  t.same(kinds({ reads: [read(2009, [])], revocations }), [])
  t.same(kinds({ reads: [read(2010, [])], revocations }), ['revoked'])
  const stale = { reads: [read(2010, [], { isStale: true })], revocations }
  t.same(kinds(stale), ['revoked'])
  t.same(kinds(stale, { ...strict, mayNotKnowRights: true }), [], 'it says so')
  t.same(kinds({ reads: [read(1020, [], { status: 401 })], revocations }), [])
  t.same(kinds({ reads: [read(900, [], { status: 401 })], revocations }), ['refused'])
  t.same(kinds({ reads: [read(900, [], { status: 401 })] }), ['refused'])
})

t.test('failed: a missing answer although the fault allows none', async (t) => {
  const reads = [read(1, [], { status: 0 }), read(1, [], { status: 503 })]
  t.same(kinds({ reads }), ['failed', 'failed'])
  const refused = [read(1, [], { status: 503, noCache: true }), read(1, [], { status: 503 })]
  t.same(kinds({ reads: refused }, { ...strict, mayRefuseNoCache: true }), ['failed'])
  t.same(kinds({ reads }, { ...strict, mayFail: true }), [])
})
