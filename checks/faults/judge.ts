import { quantile } from '../overload/load.ts'
import type { Outcome } from './ask.ts'
import type { Expected } from './fault.ts'
import type { Observation } from './load.ts'
import { type Kind, kinds } from './mix.ts'

/** Observations during a fault. Times are from `performance.now()`. */
export type Run = {
  observations: readonly Observation[]
  /** When the fault began, when it was complete, and when it was undone. */
  startedAt: number
  inForceAt: number
  endedAt: number
  /** Lines of the log at level `warn` or above, of both instances. */
  warnings: number
  isRedis: boolean
}

export type Verdict = {
  /** Number of requests by outcome since the beginning of the fault. */
  seen: ReadonlyMap<Outcome, number>
  /** Number of requests without even a stale answer, by kind. */
  failed: ReadonlyMap<Kind, number>
  /** p99 in milliseconds during the fault: `knownMs` of answers from memory, `otherMs` of all others. */
  knownMs: number
  otherMs: number
  /** Milliseconds from the end of the fault until every request was answered, and from Redis if it was affected. */
  recoveredMs: number
  warnings: number
  /** Contradictions to the expectation. The row is green if there are none. */
  objections: readonly string[]
}

const known: ReadonlySet<Kind> = new Set(['cached', 'item', 'live'])
/** A page may be stored just before the fault, and requested from the other instance one round later. */
const roundMs = 500

const isAnswered = (outcome: Outcome) => outcome === 'ok' || outcome === 'stale'

const countBy = <Key>(observations: readonly Observation[], keyOf: (each: Observation) => Key) => {
  const counts = new Map<Key, number>()
  for (const each of observations) counts.set(keyOf(each), (counts.get(keyOf(each)) ?? 0) + 1)
  return counts
}

const p99 = (observations: readonly Observation[]): number =>
  quantile(
    observations.map(({ ms }) => ms).sort((a, b) => a - b),
    0.99,
  )

/** Milliseconds until every request was answered. Infinity if Redis was never used again. */
const getRecovery = ({ observations, endedAt, isRedis }: Run): number => {
  const after = observations.filter(({ sentAt }) => sentAt >= endedAt)
  const lastBad = after.filter(({ outcome }) => outcome !== 'ok').at(-1)
  const answered = lastBad ? lastBad.sentAt + lastBad.ms - endedAt : 0
  if (!isRedis) return answered
  const fromRedis = after.find((each) => each.isFromRedis)
  return Math.max(answered, fromRedis ? fromRedis.sentAt - endedAt : Number.POSITIVE_INFINITY)
}

const findOutcomes = ({ allowed = {}, seen = {} }: Expected, { observations, startedAt }: Run): string[] => {
  const objections: string[] = []
  const isAllowed = ({ kind, outcome }: Observation) => outcome === 'ok' || allowed[kind]?.includes(outcome)
  const wrong = observations.filter((each) => !isAllowed(each))
  for (const kind of kinds) {
    for (const [outcome, count] of countBy(
      wrong.filter((each) => each.kind === kind),
      ({ outcome }) => outcome,
    )) {
      objections.push(`${kind}: ${count} × ${outcome}`)
    }
    const wanted = seen[kind]
    if (wanted && !observations.some((each) => each.kind === kind && each.outcome === wanted))
      objections.push(`${kind}: never ${wanted}, so the fault was not in force`)
  }
  const early = observations.filter(({ sentAt, ms, outcome }) => outcome !== 'ok' && sentAt + ms < startedAt)
  if (early.length > 0) objections.push(`${early.length} failed before the fault`)
  return objections
}

/** Compares a run with its expectation. Pure. */
export const judgeRun = (expected: Expected, run: Run): Verdict => {
  const { observations, startedAt, inForceAt, endedAt, warnings } = run
  const { recoverMs = 2_000, knownMs = 500, otherMs = 2_000, mostWarnings = 30 } = expected
  const since = observations.filter(({ sentAt, ms }) => sentAt + ms >= startedAt)
  const during = since.filter(({ sentAt }) => sentAt < endedAt)
  const times = {
    knownMs: p99(during.filter(({ kind }) => known.has(kind))),
    otherMs: p99(during.filter(({ kind }) => !known.has(kind))),
  }
  const recoveredMs = getRecovery(run)
  const objections = findOutcomes(expected, run)
  const object = (isWrong: boolean, text: string) => void (isWrong && objections.push(text))
  object(times.knownMs > knownMs, `p99 from memory above ${knownMs} ms`)
  object(times.otherMs > otherMs, `p99 of the rest above ${otherMs} ms`)
  object(recoveredMs > recoverMs, `not recovered after ${recoverMs} ms`)
  object(Boolean(expected.isWarned) && warnings === 0, 'the log says nothing')
  object(warnings > mostWarnings, `${warnings} warnings in the log`)
  const wasRedisUsed = during.some((each) => each.isFromRedis && each.sentAt > inForceAt + roundMs)
  object(
    Boolean(expected.hasNoRedis) && wasRedisUsed,
    'answers came from Redis, so that the fault was not in force',
  )
  const failed = countBy(
    since.filter(({ outcome }) => !isAnswered(outcome)),
    ({ kind }) => kind,
  )
  return {
    seen: countBy(since, ({ outcome }) => outcome),
    failed,
    ...times,
    recoveredMs,
    warnings,
    objections,
  }
}
