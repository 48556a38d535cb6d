import t from 'tap'
import type { FreshnessCheck } from '../../app/cache/freshness.ts'
import { cases, seed as firstSeed } from '../random.ts'
import { type Options, simulate } from './simulation.ts'

/** Each has about 400 answers and takes 50 ms. */
const episodes = cases(24)
/** Enough to read a standby of another history at least once. */
const standbyEpisodes = 100

type Fault = Pick<Options, 'spoil'>

const run = async (count: number, fault: Fault = {}, first = 1) => {
  const totals = { answers: 0, stale: 0, memory: 0, redis: 0, database: 0 }
  const broken: string[] = []
  for (let seed = first; seed < first + count; seed += 1) {
    const stores = { hasStandby: seed % 3 === 0, hasRedis: seed % 4 !== 0 }
    const outcome = await simulate({ seed, steps: 1_000, ...stores, ...fault })
    broken.push(...outcome.broken)
    totals.answers += outcome.answers
    totals.stale += outcome.stale
    for (const source of ['memory', 'redis', 'database'] as const) totals[source] += outcome.bySource[source]
  }
  return { broken, totals }
}

t.test(
  'in every order of polls, reads and writes, no answer is older than promised or than an earlier one without a label',
  async (t) => {
    const { broken, totals } = await run(episodes, {}, firstSeed)
    t.comment(JSON.stringify(totals))
    t.same(broken, [])
    t.ok(totals.answers > 200 * episodes)
    t.ok(totals.stale < 0.6 * totals.answers, 'most of them are fresh')
    t.ok(Math.min(totals.memory, totals.database) > 10 * episodes, 'from memory and the database')
    t.ok(totals.redis > episodes, 'and from Redis')
  },
)

t.test('finds planted faults', async (t) => {
  const faults: [string, (freshness: FreshnessCheck) => FreshnessCheck, RegExp][] = [
    ['nothing is noted as served', (freshness) => ({ ...freshness, noteServed: () => {} }), /^backwards/],
    ['whatever was read is fresh', (freshness) => ({ ...freshness, check: () => 'fresh' }), /^late/],
    [
      'answers claim to be of now',
      (freshness) => ({ ...freshness, asOf: () => '2026-01-02T00:00:00Z' }),
      /^as-of/,
    ],
    [
      'every poll is taken for a good one',
      (freshness) => ({ ...freshness, confirmAfter: async () => true }),
      /^no-cache/,
    ],
  ]
  for (const [name, spoil, kind] of faults) {
    const { broken } = await run(4, { spoil })
    t.ok(
      broken.some((fault) => kind.test(fault)),
      name,
    )
  }
})

t.test('a standby of a previous primary is detected when it is read: a planted fault', async (t) => {
  const found = async (seed: number): Promise<boolean> => {
    const options = { seed, steps: 1_000, hasStandby: true, hasRedis: seed % 2 === 0 }
    const { broken } = await simulate({ ...options, trustsStandby: true })
    return broken.length > 0 && (await simulate(options)).broken.length === 0
  }
  let seed = 1
  while (seed <= standbyEpisodes && !(await found(seed))) seed += 1
  t.ok(seed <= standbyEpisodes, `found in none of ${standbyEpisodes} runs`)
})
