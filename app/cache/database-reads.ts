import { unavailable } from '../errors.ts'
import type { CacheEntry, ReadRequest } from './entry.ts'
import { type Judge, type ReadResult, toCheckedResult } from './freshness.ts'
import type { MemoryCache } from './memory.ts'
import type { SharedCache } from './redis.ts'
import { isFromServer } from './snapshot.ts'

export type DatabaseReadsDeps = { memory: MemoryCache; shared: SharedCache | undefined; judge: Judge }

/** Creates the reads of the primary and its standby, which store their results in both caches. */
export const createDatabaseReads = ({ memory, shared, judge }: DatabaseReadsDeps) => {
  let fills = 0

  const keep = (entry: CacheEntry): boolean => {
    shared?.set(entry)
    return memory.set(entry)
  }

  /** If a server responded that the last poll did not read (restart, fail-over), polls again. */
  const settleEpoch = async (before: string, server: string | undefined): Promise<string> => {
    if (server === undefined || isFromServer(before, server)) return before
    await judge.confirm()
    const epoch = judge.epoch()
    if (isFromServer(epoch, server)) return epoch
    throw unavailable()
  }

  /** `undefined` if the standby lags, follows another primary or fails. */
  const readReplica = async (question: ReadRequest): Promise<ReadResult | undefined> => {
    const { customerId, key, dependsOn, fillFromReplica } = question
    const [epoch, mark] = [judge.epoch(), judge.mark()]
    const found = await fillFromReplica?.().catch(() => undefined)
    if (!found || found.standby !== mark) return undefined
    const { standby: _, ...filled } = found
    const entry: CacheEntry = { ...filled, customerId, key, dependsOn, epoch, encoded: new Map() }
    // Usually the running poll covers the entry, and a second one is only needed if the primary is distant.
    // See docs/decisions/0031-standby-answers-wait-for-a-poll.md.
    if (judge.mayBeAhead(entry) && !judge.isAway()) await judge.confirmSoon()
    if (judge.mayBeAhead(entry) && !judge.isAway()) await judge.confirm()
    const answer = await toCheckedResult(judge, entry, 'database')
    return answer && { ...answer, isStored: keep(entry) }
  }

  /** Rejects as `fill` does, and with 503 if the server is not the one that the polls read. */
  const readPrimary = async (question: ReadRequest): Promise<ReadResult> => {
    const { customerId, key, dependsOn, fill } = question
    fills += 1
    const [before, mark] = [judge.epoch(), judge.mark()]
    const { server, standby, ...filled } = await fill()
    const epoch = await settleEpoch(before, server)
    const entry: CacheEntry = { ...filled, customerId, key, dependsOn, epoch, encoded: new Map() }
    // `server` is undefined if DATABASE_URL leads to a standby.
    const isForeign = standby !== undefined && standby !== mark
    if (isForeign || (server === undefined && (await judge.check(entry)) !== 'fresh')) throw unavailable()
    const isStored = keep(entry)
    // The last poll may be newer than this read, so its time is only the fallback.
    return { entry, outcome: 'database', isStored, asOf: entry.at ?? judge.asOf() }
  }

  return {
    /** Reads the standby if it shows all known changes and `noCache` is false. Otherwise the primary. */
    async read(question: ReadRequest): Promise<ReadResult> {
      const fromStandby =
        question.fillFromReplica && !question.noCache ? await readReplica(question) : undefined
      return fromStandby ?? readPrimary(question)
    },
    readPrimary,
    get fills() {
      return fills
    },
  }
}
