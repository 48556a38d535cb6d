import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { configure } from '../../checks/faults/haproxy.ts'
import { judgeRun, type Run } from '../../checks/faults/judge.ts'
import type { Observation } from '../../checks/faults/load.ts'

const observe = (sentAt: number, more: Partial<Observation> = {}): Observation => ({
  kind: 'cached',
  sentAt,
  ms: 5,
  outcome: 'ok',
  isFromRedis: false,
  ...more,
})
/** The fault lasts from 1,000 to 3,000 ms. One more answer before, during and after it. */
const getRun = (observations: Observation[], more: Partial<Run> = {}): Run => ({
  observations: [observe(500), observe(2_000), observe(4_000), ...observations].sort(
    (a, b) => a.sentAt - b.sentAt,
  ),
  startedAt: 1_000,
  inForceAt: 1_000,
  endedAt: 3_000,
  warnings: 1,
  isRedis: false,
  ...more,
})
const expected = { text: '', allowed: { uncached: ['503 unavailable'] } } as const
const listObjections = (more: Partial<Observation>, sentAt = 2_000) =>
  judgeRun(expected, getRun([observe(sentAt, more)])).objections

t.test('accepts answers, and refusals that the fault allows', async (t) => {
  t.same(listObjections({}), [])
  t.same(listObjections({ kind: 'uncached', outcome: '503 unavailable' }), [])
})

t.test('objects to an outcome that its kind does not allow', async (t) => {
  t.same(listObjections({ outcome: '503 unavailable' }), ['cached: 1 × 503 unavailable'])
  t.same(listObjections({ outcome: 'stale' }), ['cached: 1 × stale'])
  const wrong = [
    '500 internal_error',
    '503 overloaded',
    '503 unavailable without Retry-After',
    'another body',
  ]
  for (const outcome of wrong)
    t.same(listObjections({ kind: 'uncached', outcome }), [`uncached: 1 × ${outcome}`])
})

t.test('objects to a refusal before the fault or after the time for recovery', async (t) => {
  const refusal = { kind: 'uncached', outcome: '503 unavailable' } as const
  t.same(listObjections(refusal, 600), ['1 failed before the fault'])
  t.same(listObjections(refusal, 4_500), [])
  t.same(listObjections(refusal, 6_000), ['not recovered after 2000 ms'])
})

t.test('objects to a slow answer from memory', async (t) => {
  t.same(listObjections({ ms: 900 }), ['p99 from memory above 500 ms'])
})

t.test('a fault without an effect fails the check', async (t) => {
  const seen = { ...expected, seen: { uncached: '503 unavailable' } } as const
  t.match(judgeRun(seen, getRun([])).objections, [/never 503 unavailable/])
  const fromRedis = observe(2_000, { isFromRedis: true })
  t.match(judgeRun({ ...expected, hasNoRedis: true }, getRun([fromRedis])).objections, [/came from Redis/])
})

t.test('after a fault of Redis, it must serve answers again', async (t) => {
  t.same(judgeRun(expected, getRun([], { isRedis: true })).objections, ['not recovered after 2000 ms'])
  const run = getRun([observe(3_400, { isFromRedis: true })], { isRedis: true })
  t.match(judgeRun(expected, run), { objections: [], recoveredMs: 400 })
})

t.test('an empty log, or one with a line for each request, fails the check', async (t) => {
  const warned = { ...expected, isWarned: true }
  t.same(judgeRun(warned, getRun([], { warnings: 0 })).objections, ['the log says nothing'])
  t.same(judgeRun(warned, getRun([], { warnings: 31 })).objections, ['31 warnings in the log'])
})

t.test('failed requests are counted by kind, stale answers are not failed', async (t) => {
  const { failed, seen } = judgeRun(
    expected,
    getRun([
      observe(2_000, { outcome: 'stale' }),
      observe(2_001, { kind: 'uncached', outcome: '503 unavailable' }),
    ]),
  )
  t.same([...failed], [['uncached', 1]])
  t.same(
    new Map([...seen]),
    new Map([
      ['ok', 2],
      ['stale', 1],
      ['503 unavailable', 1],
    ]),
  )
})

t.test('the proxy of the check differs from the deployed one only in addresses, names and TLS', async (t) => {
  const text = readFileSync(join(import.meta.dirname, '../../deploy/haproxy.cfg'), 'utf8')
  const own = configure(text, 1234, [5, 6])
  t.match(own, 'bind 127.0.0.1:1234\n')
  t.notMatch(own, /certdata-\d:|resolvers/)
  const listLines = (file: string) => file.split('\n').filter((line) => !/bind|server|resol|hold/.test(line))
  t.same(
    listLines(own).filter((line) => line !== ''),
    listLines(text).filter((line) => line !== ''),
  )
  t.throws(() => configure('global', 1234, [5, 6]), /has no/)
})
