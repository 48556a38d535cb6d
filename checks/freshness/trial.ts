import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from './faults.ts'
import type { Counters } from './fills.ts'
import { type Judgement, judge } from './judge.ts'
import type { Revocation, Writes } from './log.ts'
import { createMirrors } from './mirrors.ts'
import type { Nemesis } from './nemesis.ts'
import type { Asker, Readers } from './readers.ts'
import { createReaders } from './readers.ts'
import { revokeNowAndThen } from './revocations.ts'
import { watchShared } from './shared.ts'
import { openStage, type Stage, type StageOptions } from './stage.ts'
import { countDifferences, listMirrorDifferences } from './truth.ts'
import { type Body, customers, listTargets, nextPage, type Target } from './world.ts'

export type RunOptions = {
  nemesis: Nemesis
  seconds: number
  requestsPerSecond?: number
  /**
   * Restricts requests to addresses with this prefix. With many addresses, a fill of one prevents older
   * cached answers of others: an answer that was served once is a lower bound for all answers from the same
   * data.
   */
  onlyAddress?: string
  /** Share of requests with `no-cache`. */
  noCacheShare?: number
  fault?: Fault | undefined
}

export type TrialOptions = StageOptions & RunOptions

export type TrialResult = Judgement & {
  nemesis: string
  fault: Fault | undefined
  /** Allowed share of answers that are marked stale. */
  mostStale: number
  requests: number
  commits: number
  /** Answers of the change feed after which a mirror was complete, and mirrors that had to start again. */
  mirrors: { reads: number; restarts: number }
  seconds: number
  /** Number of keys compared after quiescence, and the keys that differ. */
  keys: number
  differing: string[]
  /** Entries in Redis that were replaced by older ones. */
  regresses: number
  /** Resources that probes distrust, although every change was logged. */
  distrusted: number
  fills: Counters
}

const defaultRequestsPerSecond = 600
const defaultNoCacheShare = 0.04
/** Contract: from then on, every answer contains all acknowledged commits. */
const promisedMs = 600
/** Allowed while the database is reachable: on a busy machine a late poll makes it look unreachable. */
const mostStaleAtHand = 0.02
const recoveryLimitMs = 20_000
/** Time without harm at the beginning. */
const warmMs = 1_000

/** Picks a few addresses often and most of them rarely. */
const pickSkewed = <T>(list: readonly T[]): T => list[Math.floor(Math.random() ** 3 * list.length)] as T

const shuffle = <T>(list: readonly T[]): T[] =>
  list
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

/** Lists all fixed addresses and the later pages. The cursors of these stay valid, because names do not change. */
export const findTargets = async (readers: Readers, { instances, getToken }: Stage): Promise<Target[]> => {
  const targets: Target[] = []
  for (const customer of customers) {
    const asker = { instance: instances[0], token: getToken(customer) } as Asker
    const lists = listTargets(customer)
    targets.push(...lists)
    const first = lists.find(({ url }) => url.startsWith('/v1/products?limit=')) as Target
    for (let page: Target | undefined = first; page; ) {
      const { body } = await readers.ask(page, asker, { plain: true })
      page = nextPage(customer, JSON.parse(body.toString()) as Body)
      if (page) targets.push(page)
    }
  }
  return targets
}

/** Waits until both instances read from the database again. Throws if one never does. */
const recover = async (readers: Readers, targets: readonly Target[], { instances, getToken }: Stage) => {
  const deadline = performance.now() + recoveryLimitMs
  for (const instance of instances) {
    const target = targets[0] as Target
    const asker = { instance, token: getToken(target.customer) }
    for (;;) {
      const { status } = await readers.ask(target, asker, { noCache: true, plain: true })
      if (status === 200 || status === 404) break
      if (performance.now() > deadline) throw new Error(`${instance.id} does not recover: ${status}`)
      await delay(50)
    }
  }
}

const countCommits = (writes: Writes): number => {
  const versions = [...writes.values()].flat()
  const committed = versions.filter(({ outcome, transaction }) => outcome === 'committed' && transaction > 0)
  return new Set(committed.map(({ transaction }) => transaction)).size
}

const countDistrusted = async ({ operator }: Stage): Promise<number> => {
  const { rows } = await operator.query('select cardinality(distrusted) as number from poll_changes(null, 0)')
  return rows[0].number
}

const sum = (counters: readonly Counters[]): Counters => ({
  fills: counters.reduce((total, { fills }) => total + fills, 0),
  mostFillsAtOnce: counters.reduce((total, { mostFillsAtOnce }) => total + mostFillsAtOnce, 0),
  fromStandby: counters.reduce((total, { fromStandby }) => total + fromStandby, 0),
})

/**
 * Runs writers and readers on two instances, with harm in the middle and a quiet end. Stops everything before
 * it resolves or rejects.
 */
export const runTrial = async (options: TrialOptions): Promise<TrialResult> =>
  runTrialOn(await openStage(options), options)

/** Runs the trial on an open stage, and closes it. */
export const runTrialOn = async (stage: Stage, options: RunOptions): Promise<TrialResult> => {
  try {
    return await runTrialWithin(stage, options)
  } finally {
    await stage.close()
  }
}

/** Runs the trial on a stage that can be reused. One trial at a time. */
export const runTrialWithin = async (stage: Stage, options: RunOptions): Promise<TrialResult> => {
  const { nemesis, seconds, requestsPerSecond = defaultRequestsPerSecond } = options
  const readers = createReaders()
  const { writers, instances, getToken } = stage
  const all = await findTargets(readers, stage)
  const targets = shuffle(all.filter(({ url }) => url.startsWith(options.onlyAddress ?? '')))
  const revocations: Revocation[] = []
  const stopWatch = stage.redisUrl && !nemesis.touchesRedis ? watchShared(stage.redisUrl) : undefined
  const beganAt = performance.now()
  const stopWriters = writers.start()
  const stopReaders = readers.start({
    requestsPerSecond,
    pickTarget: () => pickSkewed(targets),
    pickAsker: (customer) => ({ instance: pick(instances), token: getToken(customer) }),
    noCacheShare: options.noCacheShare ?? defaultNoCacheShare,
  })
  const mirrors = createMirrors(stage)
  const stopMirrors = mirrors.start()
  const stopRevoking = revokeNowAndThen(stage, readers, targets, revocations)
  await delay(warmMs)
  await nemesis.start(stage.victims)
  try {
    await delay(Math.max(0, Math.max(seconds * 1000, nemesis.lastsMs ?? 0) - warmMs))
  } finally {
    await nemesis.stop(stage.victims)
    await stopRevoking()
    await stopWriters()
    await stopReaders()
    await stopMirrors()
  }
  const tookMs = performance.now() - beganAt
  const regresses = (await stopWatch?.())?.length ?? 0
  await recover(readers, targets, stage)
  await delay(promisedMs)
  const differing = await countDifferences(stage, readers, targets)
  differing.push(...(await listMirrorDifferences(stage, await mirrors.finish())))
  const fills = sum(await Promise.all(instances.map((instance) => instance.takeCounters())))
  const judgement = judge(
    { writes: writers.writes, reads: [...readers.reads, ...mirrors.reads], revocations },
    {
      mayNotKnowRights: nemesis.isDatabaseUnreachable === true,
      mayRefuseTokens: nemesis.shiftsClocks === true,
      mayRefuseNoCache: nemesis.breaksPolls === true,
      mayFail: nemesis.isDatabaseUnreachable === true || nemesis.losesRequests === true,
    },
  )
  return {
    ...judgement,
    nemesis: nemesis.name,
    mostStale: nemesis.mostStale ?? (nemesis.isDatabaseUnreachable ? 0.5 : mostStaleAtHand),
    fault: options.fault,
    requests: readers.reads.length,
    commits: countCommits(writers.writes),
    mirrors: { reads: mirrors.reads.length, restarts: mirrors.restarts },
    seconds: tookMs / 1000,
    keys: targets.length * instances.length,
    differing,
    distrusted: await countDistrusted(stage),
    regresses,
    fills,
  }
}
