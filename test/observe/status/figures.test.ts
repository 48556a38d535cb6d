import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import { findIncidents } from '../../../app/observe/status/incidents.ts'
import { getLevel } from '../../../app/observe/status/level.ts'
import {
  addBuckets,
  bucketCount,
  createMinutes,
  getBucket,
  quantile,
} from '../../../app/observe/status/minutes.ts'
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
  t.equal(getBucket(1e9), bucketCount - 1, 'what is slower than all is in the last one')
  t.equal(getBucket(0), 0)
})

t.test('a minute is as available as the worse of its probes and its answers', async (t) => {
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

t.test('incidents: bad minutes in a row, joined over short breaks, and open at the end', async (t) => {
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
  t.equal(findIncidents(0, [0, ...good(4), 0, ...good(4)]).length, 2, 'a longer break parts them')
  t.match(findIncidents(0, [...good(3), 0, 0]), [{ from: 3, until: null }])
  t.same(findIncidents(0, [...good(3), 0.85, 1]), [], 'one failure among a few is none')
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
  minutes.settle(minutes.unsettled(true))
  t.same(
    minutes.unsettled(true).map(({ minute }) => minute),
    [1_001],
    'the running minute goes on counting',
  )
  minutes.addProbe(now - 1_000, undefined)
  t.match(minutes.unsettled()[0], { minute: 1_000, slots: 0 }, 'a probe belongs to where it began')
})

t.test('minutes that cannot be written for days do not fill the memory', async (t) => {
  let now = 0
  const minutes = createMinutes(() => now)
  for (let i = 0; i < 2_000; i++) {
    now = i * 60_000
    minutes.addAnswer(200, 1, false)
  }
  t.equal(minutes.unsettled(true).length, 1_440)
  t.equal(minutes.unsettled()[0]?.minute, 560, 'the oldest are given up')
})
