import type { Read, RunLog, Seen, Version, Writes } from './log.ts'

/**
 * Faults of an answer:
 * `late`: it lacks a commit that was acknowledged 600 ms before the request was sent, and is not marked
 * stale. With `no-cache` it must have every earlier commit, and may not be stale.
 * `unwritten`: it shows a value that was never written.
 * `aborted`: it shows a change that was rolled back.
 * `foreign`: it shows data of another customer.
 * `torn`: it shows half of a transaction.
 * `backwards`: it shows less than an earlier answer of the same process.
 * `as-of`: it lacks a commit from before its `Data-As-Of`.
 * `revoked`: it was given more than a second after the right was revoked.
 * `refused`: it refuses a client whose right was not revoked.
 * `failed`: there was no answer, or a 5xx that is not allowed.
 */
export type ViolationKind =
  | 'late'
  | 'unwritten'
  | 'aborted'
  | 'foreign'
  | 'torn'
  | 'backwards'
  | 'as-of'
  | 'revoked'
  | 'refused'
  | 'failed'

export type Violation = { kind: ViolationKind; url: string; instance: string; detail: string; atMs: number }

export type Rules = {
  mayFail: boolean
  /** While the database is unreachable, stale answers may admit a revoked client. */
  mayNotKnowRights: boolean
  /** Valid tokens may be refused: a token from a clock that is ahead is not valid yet at another instance. */
  mayRefuseTokens: boolean
  /** A `no-cache` request may be refused with 503, because the committed state is unknown. */
  mayRefuseNoCache: boolean
}

export type Judgement = {
  /** Number of judged answers: 200 and 304. */
  reads: number
  /** Number of judged answers that are marked stale. The run defines the limit. */
  stale: number
  /** Requests without an answer or with a 5xx. */
  failed: number
  /** Milliseconds, of the answers that are not marked stale. */
  staleness: { worst: number; p99: number; p50: number }
  violations: Violation[]
}

/** Contract: each answer shows all commits older than this when the request was sent. */
const promisedMs = 600
/** Contract, section 7. */
const revocationMs = 1000

const isAnswer = ({ status }: Read) => status === 200 || status === 304
const isDenied = ({ status }: Read) => status === 401
const isFailure = ({ status }: Read) => status === 0 || status >= 500

/** Returns the first index with a higher counter, by binary search. */
const firstAbove = (versions: readonly Version[], counter: number): number => {
  let low = 0
  let high = versions.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((versions[middle] as Version).counter > counter) high = middle
    else low = middle + 1
  }
  return low
}

const findVersion = (versions: readonly Version[], counter: number): Version | undefined => {
  const found = versions[firstAbove(versions, counter) - 1]
  return found?.counter === counter ? found : undefined
}

/** Returns the latest version that explains a record's absence, in favour of the answer. */
const latestMissing = (versions: readonly Version[], view: string, receivedAt: number): Version | undefined =>
  versions.findLast(
    ({ outcome, startedAt, views }) =>
      outcome !== 'aborted' && startedAt <= receivedAt && !views.includes(view),
  )

/** A record in an answer, with the first commit that the answer lacks. */
type Shown = {
  record: string
  versions: readonly Version[]
  counter: number
  /** The answer contains the version. Otherwise `counter` is the best guess that explains an absence. */
  isNamed: boolean
  lacks: Version | undefined
}

const show = (record: string, versions: readonly Version[], counter: number, isNamed: boolean): Shown => {
  let index = firstAbove(versions, counter)
  while (index < versions.length && versions[index]?.outcome !== 'committed') index += 1
  return { record, versions, counter, isNamed, lacks: versions[index] }
}

type Report = (kind: ViolationKind, read: Read, detail: string) => void

const resolve = (writes: Writes, read: Read, seen: Seen, report: Report): Shown | undefined => {
  const versions = writes.get(seen.record) ?? []
  if ('missingFrom' in seen) {
    const missing = latestMissing(versions, seen.missingFrom, read.receivedAt)
    if (missing) return show(seen.record, versions, missing.counter, false)
    report('unwritten', read, `${seen.record} is missing and was never away`)
    return undefined
  }
  const { record, counter } = seen
  const version = findVersion(versions, counter)
  if (!version || version.startedAt > read.receivedAt) {
    report('unwritten', read, `${record} shows ${counter}, which nobody had written`)
    return undefined
  }
  if (version.outcome === 'aborted') {
    report('aborted', read, `${record} shows ${counter}, which was rolled back`)
  }
  return show(record, versions, counter, true)
}

const checkTorn = (read: Read, shown: readonly Shown[], writes: Writes, report: Report) => {
  if (shown.length < 2) return
  const shownByRecord = new Map(shown.map((each) => [each.record, each]))
  for (const { record, versions, counter } of shown) {
    for (let index = firstAbove(versions, counter); index < versions.length; index += 1) {
      const { transaction, outcome, startedAt } = versions[index] as Version
      if (startedAt > read.receivedAt) break
      if (outcome === 'aborted' || transaction < 0) continue
      for (const other of partners(writes, transaction, record)) {
        const beside = shownByRecord.get(other.record)
        // A commit without an acknowledgement is proved only by its own value, not by a later one.
        const showsIt =
          outcome === 'committed'
            ? (beside?.counter ?? -1) >= other.counter
            : beside?.counter === other.counter
        if (beside?.isNamed && showsIt) {
          report('torn', read, `${other.record} shows transaction ${transaction}, ${record} does not`)
          return
        }
      }
    }
  }
}

type Part = { record: string; counter: number }
const partsOf = new WeakMap<Writes, Map<number, Part[]>>()

const partners = (writes: Writes, transaction: number, record: string): Part[] => {
  let parts = partsOf.get(writes)
  if (!parts) {
    parts = new Map()
    for (const [name, versions] of writes) {
      for (const { transaction: id, counter } of versions) {
        const known = parts.get(id)
        if (known) known.push({ record: name, counter })
        else parts.set(id, [{ record: name, counter }])
      }
    }
    partsOf.set(writes, parts)
  }
  return (parts.get(transaction) ?? []).filter((part) => part.record !== record)
}

const getTell = ({ status, noCache, isStale, asOf, sentAt, receivedAt }: Read): string =>
  [
    status,
    ...(noCache ? ['no-cache'] : []),
    ...(isStale ? ['said to be stale'] : []),
    `in ${(receivedAt - sentAt).toFixed(0)} ms`,
    `as of ${asOf === undefined ? 'nothing' : new Date(asOf).toISOString()}`,
  ].join(', ')

/** Returns how long the first missing commit had been acknowledged when the request was sent, in milliseconds. */
const checkFreshness = (read: Read, shown: readonly Shown[], report: Report): number => {
  const isExcused = read.isStale && !read.noCache
  let staleness = 0
  for (const { record, counter, lacks } of shown) {
    if (!lacks) continue
    const agedMs = read.sentAt - lacks.ackedAt
    staleness = Math.max(staleness, agedMs)
    if (read.asOf !== undefined && lacks.ackedAtWall + 1 < read.asOf) {
      const early = (read.asOf - lacks.ackedAtWall).toFixed(0)
      report('as-of', read, `${record} shows ${counter}; ${lacks.counter} was there ${early} ms before as-of`)
    }
    if (isExcused || agedMs < (read.noCache ? Number.MIN_VALUE : promisedMs)) continue
    report(
      'late',
      read,
      `${record} shows ${counter}; ${lacks.counter} was there ${agedMs.toFixed(0)} ms before (${getTell(read)})`,
    )
  }
  return staleness
}

type Judged = { read: Read; shown: readonly Shown[] }

/** Requests that were sent after an answer of the same process must not show less of a record than that answer. */
const checkOrder = (judged: readonly Judged[], report: Report) => {
  const certain = judged.filter(({ read }) => !read.isStale)
  const sent = certain.toSorted((a, b) => a.read.sentAt - b.read.sentAt)
  const received = certain.toSorted((a, b) => a.read.receivedAt - b.read.receivedAt)
  const newest = new Map<string, { counter: number; read: Read }>()
  const getName = (read: Read, record: string) => `${read.instance} ${record}`
  let index = 0
  for (const { read, shown } of sent) {
    for (; index < received.length; index += 1) {
      const earlier = received[index] as Judged
      if (earlier.read.receivedAt >= read.sentAt) break
      for (const { record, counter, isNamed } of earlier.shown) {
        const name = getName(earlier.read, record)
        if (isNamed && counter > (newest.get(name)?.counter ?? -1))
          newest.set(name, { counter, read: earlier.read })
      }
    }
    for (const { record, counter, isNamed } of shown) {
      const before = newest.get(getName(read, record))
      if (!before || counter >= before.counter) continue
      const agoMs = read.sentAt - before.read.receivedAt
      report(
        'backwards',
        read,
        `${record} ${isNamed ? `shows ${counter}` : `is not there, as of ${counter}`} (${getTell(read)}) after ${before.counter} (${before.read.url}, ${getTell(before.read)}, received ${agoMs.toFixed(0)} ms before)`,
      )
    }
  }
}

const checkRights = (
  { reads, revocations }: RunLog,
  { mayNotKnowRights, mayRefuseTokens }: Rules,
  report: Report,
) => {
  const byToken = new Map(revocations.map((revocation) => [revocation.token, revocation]))
  for (const read of reads) {
    const revocation = byToken.get(read.token)
    if (isDenied(read) && !mayRefuseTokens && !(revocation && revocation.startedAt <= read.receivedAt)) {
      report('refused', read, 'the token is good')
    }
    if (!revocation || !isAnswer(read) || (read.isStale && mayNotKnowRights)) continue
    const agedMs = read.sentAt - revocation.ackedAt
    if (agedMs < revocationMs) continue
    report('revoked', read, `let in ${agedMs.toFixed(0)} ms after the revocation (${getTell(read)})`)
  }
}

const share = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0

/** Judges a run by its log alone. Pure. Takes about a second for 50,000 reads. */
export const judge = (log: RunLog, rules: Rules): Judgement => {
  const violations: Violation[] = []
  const report: Report = (kind, { url, instance, sentAt }, detail) =>
    violations.push({ kind, url, instance, detail, atMs: sentAt })
  const staleness: number[] = []
  const judged: Judged[] = []
  let stale = 0
  for (const read of log.reads) {
    for (const name of read.foreign) report('foreign', read, `${name} in an answer to ${read.customer}`)
    if (!isAnswer(read)) continue
    const shown = read.seen.flatMap((seen) => resolve(log.writes, read, seen, report) ?? [])
    const agedMs = checkFreshness(read, shown, report)
    checkTorn(read, shown, log.writes, report)
    if (read.isStale) stale += 1
    else staleness.push(agedMs)
    judged.push({ read, shown })
  }
  checkOrder(judged, report)
  checkRights(log, rules, report)
  const failures = log.reads.filter(isFailure)
  // The feed is never stale: it refuses requests while rights may be out of date.
  const isAllowed = ({ noCache, url, status }: Read) =>
    rules.mayFail || (rules.mayRefuseNoCache && (noCache || url === '/v1/changes') && status === 503)
  for (const read of failures)
    if (!isAllowed(read)) report('failed', read, `status ${read.status} ${read.problem ?? ''}`)
  staleness.sort((a, b) => a - b)
  return {
    reads: judged.length,
    stale,
    failed: failures.length,
    staleness: { worst: staleness.at(-1) ?? 0, p99: share(staleness, 0.99), p50: share(staleness, 0.5) },
    violations,
  }
}
