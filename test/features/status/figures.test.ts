import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { bar, curve } from '../../../app/features/status/chart.ts'
import { findIncidents } from '../../../app/features/status/incidents.ts'
import { type JudgedFigures, judgeFigures, judgeService } from '../../../app/features/status/judgement.ts'
import {
  addBuckets,
  bucketCount,
  createMinutes,
  getBucket,
  getLevel,
  quantile,
} from '../../../app/features/status/minutes.ts'
import { cases, fc } from '../../random.ts'

const getHistogram = (values: readonly number[]) => {
  const counts = new Array<number>(bucketCount).fill(0)
  for (const value of values) counts[getBucket(value)] = (counts[getBucket(value)] ?? 0) + 1
  return counts
}

const durations = fc.array(fc.double({ min: 0.11, max: 90_000, noNaN: true }), {
  minLength: 1,
  maxLength: 200,
})

t.test('the sum of histograms equals the histogram of all values', async (t) => {
  const isSame = (a: number[], b: number[]) => {
    const sum = getHistogram(a)
    addBuckets(sum, getHistogram(b))
    return isDeepStrictEqual(sum, getHistogram([...a, ...b]))
  }
  t.doesNotThrow(() => fc.assert(fc.property(durations, durations, isSame), { numRuns: cases(50) }))
})

t.test('a quantile is in the bucket of its value', async (t) => {
  fc.assert(
    fc.property(durations, fc.constantFrom(0.5, 0.9, 0.99, 1), (values, share) => {
      const sorted = [...values].sort((a, b) => a - b)
      const exact = sorted[Math.ceil(share * values.length) - 1] as number
      const read = quantile(getHistogram(values), share) as number
      const ratio = read / exact
      // The bounds of a bucket are 21 % apart.
      return ratio < 1.22 && ratio > 1 / 1.22
    }),
    { numRuns: cases(200) },
  )
  t.equal(quantile(getHistogram([]), 0.99), null)
  t.equal(getBucket(1e9), bucketCount - 1, 'the last bucket contains slower answers')
  t.equal(getBucket(0), 0)
})

t.test('the availability of a minute is the lower of its probes and its answers', async (t) => {
  const up = 0b111111
  const cases: [slots: number, requests: number, failed: number, level: number][] = [
    [up, 0, 0, 1],
    [0, 0, 0, 0],
    [0b000111, 0, 0, 0.5],
    [up, 994, 100, 0.9],
    [up, 3, 1, 8 / 9],
    // A process hung for half a minute, and answered all requests of the other half.
    [0b000111, 6_000, 0, 0.5],
    [0, 1_000, 0, 0],
  ]
  for (const [slots, requests, failed, level] of cases) {
    t.equal(
      getLevel({ slots, requests, failed }).toFixed(6),
      level.toFixed(6),
      `${slots} ${requests} ${failed}`,
    )
  }
})

t.test('bad minutes form an incident, across short breaks and open at the end', async (t) => {
  const good = (count: number) => new Array<number | undefined>(count).fill(1)
  const gap = (count: number) => new Array<number | undefined>(count).fill(undefined)
  t.same(findIncidents(100, good(50)), [])
  t.same(findIncidents(100, [...good(5), 0.5, 0.3, ...good(10)]), [
    { from: 105, until: 107, kind: 'failing', availability: 0.4 },
  ])
  t.same(findIncidents(100, [...good(5), ...gap(4), ...good(10)]), [
    { from: 105, until: 109, kind: 'unreported', availability: 0 },
  ])
  t.same(findIncidents(0, [...good(5), 0, 1, 1, 0, ...good(9)]), [
    { from: 5, until: 9, kind: 'failing', availability: 0.5 },
  ])
  t.equal(findIncidents(0, [0, ...good(4), 0, ...good(4)]).length, 2, 'a longer break separates incidents')
  t.match(findIncidents(0, [...good(3), 0, 0]), [{ from: 3, until: null }])
  t.same(findIncidents(0, [...good(3), 0.85, 1]), [], 'one failure among a few answers is no incident')
})

t.test('answers are counted in the minute in which they end', async (t) => {
  let now = 60_000 * 1_000
  const minutes = createMinutes(() => now)
  minutes.addAnswer(200, 12, true)
  minutes.addAnswer(404, undefined, false)
  minutes.addProbe(now + 11_000, 120)
  now += 60_000
  minutes.addAnswer(503, undefined, false)
  for (const status of [501, 505]) minutes.addAnswer(status, undefined, false)
  const [over, ...others] = minutes.unsettled()
  t.match(over, { minute: 1_000, slots: 0b10, requests: 2, failed: 0, timed: 1, hits: 1, ageMs: 120 })
  t.same(others, [], 'the running minute is not over')
  t.match(minutes.unsettled(true)[1], { minute: 1_001, slots: 0, requests: 3, failed: 1, ageMs: null })
  minutes.addProbe(now - 1_000, 300)
  t.match(
    minutes.unsettled()[0],
    { minute: 1_000, slots: 0b100010, ageMs: 300 },
    'a probe counts in the minute of its begin',
  )
  minutes.settle(minutes.unsettled(true))
  t.same(
    minutes.unsettled(true).map(({ minute }) => minute),
    [1_001],
    'the running minute is kept',
  )
  minutes.addProbe(now - 1_000, undefined)
  t.same(minutes.unsettled(), [], 'a late probe does not replace a minute in the database')
})

t.test('at most a day of unwritten minutes is kept', async (t) => {
  let now = 0
  const minutes = createMinutes(() => now)
  for (let i = 0; i < 2_000; i++) {
    now = i * 60_000
    minutes.addAnswer(200, 1, false)
  }
  t.equal(minutes.unsettled(true).length, 1_440)
  t.equal(minutes.unsettled()[0]?.minute, 560, 'the oldest minutes are dropped')
})

/** A period that kept every promise, except for the changed figures. */
const figures = (changed: Partial<JudgedFigures> = {}): JudgedFigures => ({
  minutes: 60,
  whole_minutes: 60,
  availability: 1,
  timed: 1_000,
  latency: { average_ms: 2 },
  max_age_ms: 100,
  ...changed,
})
const judge = (changed: Partial<JudgedFigures>) => judgeFigures(figures(changed))
const period = (changed: Partial<JudgedFigures> = {}) => ({ verdicts: judge(changed) })
const all = (now = {}, others = {}) => ({
  now: period(now),
  '24h': period(others),
  '30d': period(others),
  '90d': period(others),
})
const slow = { latency: { average_ms: 81 } }

t.test('a figure keeps its promise up to the promised value', async (t) => {
  t.same(judge({}), { availability: 'kept', average: 'kept', freshness: 'kept' })
  t.equal(judge({ availability: 0.99 }).availability, 'kept')
  t.equal(judge({ availability: 0.9899 }).availability, 'broken')
  t.equal(judge({ latency: { average_ms: 79.99 } }).average, 'kept')
  t.equal(judge({ latency: { average_ms: 80 } }).average, 'broken', 'promised is less than 80 ms')
  t.equal(judge({ max_age_ms: 600 }).freshness, 'kept')
  t.equal(judge({ max_age_ms: 601 }).freshness, 'broken')
})

t.test('the verdict on a period with few measurements is unknown', async (t) => {
  const unknown = { availability: 'unknown', average: 'unknown', freshness: 'unknown' }
  t.same(judge({ minutes: 2, whole_minutes: 43_200 }), unknown, 'two minutes of 30 days')
  t.same(judge({ minutes: 0, availability: null, latency: { average_ms: null }, max_age_ms: null }), unknown)
  t.equal(judge({ minutes: 30 }).availability, 'kept', 'half of it is enough')
  t.equal(judge({ timed: 19, ...slow }).average, 'unknown', 'an average of a few answers')
})

t.test('headline and state agree with the verdicts', async (t) => {
  t.match(judgeService(1, all()), {
    status: 'operational',
    headline: 'All systems operational',
    note: null,
  })
  const isSlow = judgeService(1, all(slow))
  t.match(isSlow, { status: 'degraded', headline: 'Below the promise at the moment: time to answer' })
  t.match(judgeService(1, all({}, slow)), {
    status: 'operational',
    note: 'Below the promise: time to answer over 24 hours; time to answer over 30 days; time to answer over 90 days.',
  })
  const both = judgeService(1, all({ ...slow, max_age_ms: 900 }))
  t.equal(both.headline, 'Below the promise at the moment: time to answer and freshness')
})

t.test(
  'missing measurements have priority over failures of the last minute, and these over verdicts',
  async (t) => {
    t.equal(judgeService(0.9, all(slow)).headline, 'Some requests fail at the moment')
    t.equal(judgeService(0.2, all(slow)).status, 'down')
    t.equal(judgeService(undefined, all()).status, 'unknown')
    t.equal(judgeService(1, all({ minutes: 1 })).status, 'unknown', 'a minute after the first start')
  },
)

t.test('charts break lines at gaps and keep small bars visible', async (t) => {
  t.equal(
    curve('average', [0.5, 0.25, null, 1]).html,
    '<path class="average" d="M0.5 50h0L1.5 75M3.5 0h0"/>',
    'a point without neighbours is a dot',
  )
  t.match(bar('failed', 3, 0.0001).html, 'y="98" width="0.76" height="2"')
})
