import { unavailable } from '../errors.ts'
import type { CacheEntry, ReadRequest } from './entry.ts'
import { type Judge, type ReadResult, toCheckedResult } from './freshness.ts'
import type { MemoryCache } from './memory.ts'
import type { SharedCache } from './redis.ts'
import { isFromServer } from './snapshot.ts'

export type DatabaseReadsDeps = { memory: MemoryCache; shared: SharedCache | undefined; judge: Judge }

/** Reads the database and stores the results. */
export const createDatabaseReads = ({ memory, shared, judge }: DatabaseReadsDeps) => {
  let fills = 0

  /** Returns whether memory now has the entry. Does not wait for Redis. */
  const keep = (entry: CacheEntry): boolean => {
    shared?.set(entry)
    return memory.set(entry)
  }

  /** After a restart or on another server, another poll decides. */
  const settleEpoch = async (before: string, server: string | undefined): Promise<string> => {
    if (server === undefined || isFromServer(before, server)) return before
    await judge.confirm()
    const epoch = judge.epoch()
    if (isFromServer(epoch, server)) return epoch
    throw unavailable()
  }

  /** `undefined` if the standby lags, has another history or does not respond. */
  const readReplica = async (question: ReadRequest): Promise<ReadResult | undefined> => {
    const { customerId, key, dependsOn, fillFromReplica } = question
    const [epoch, mark] = [judge.epoch(), judge.mark()]
    const found = await fillFromReplica?.().catch(() => undefined)
    if (!found || found.standby !== mark) return undefined
    const { standby: _, ...filled } = found
    const entry: CacheEntry = { ...filled, customerId, key, dependsOn, epoch, encoded: new Map() }
    // The entry may show commits that no poll has reported, and a later answer could go back in time. The
    // running poll usually covers them. Only a distant primary needs another poll.
    if (judge.mayBeAhead(entry) && !judge.isAway()) await judge.confirmSoon()
    if (judge.mayBeAhead(entry) && !judge.isAway()) await judge.confirm()
    const answer = await toCheckedResult(judge, entry, 'database')
    return answer && { ...answer, isStored: keep(entry) }
  }

  /** Rejects as `fill` does, and with 503 if the server is not the primary that the polls read. */
  const readPrimary = async (question: ReadRequest): Promise<ReadResult> => {
    const { customerId, key, dependsOn, fill } = question
    fills += 1
    const [before, mark] = [judge.epoch(), judge.mark()]
    const { server, standby, ...filled } = await fill()
    const epoch = await settleEpoch(before, server)
    const entry: CacheEntry = { ...filled, customerId, key, dependsOn, epoch, encoded: new Map() }
    // A lagging standby may have replaced the primary.
    const isForeign = standby !== undefined && standby !== mark
    if (isForeign || (server === undefined && (await judge.check(entry)) !== 'fresh')) throw unavailable()
    const isStored = keep(entry)
    // The last poll may be newer than this read, so its time is only the fallback.
    return { entry, outcome: 'database', isStored, asOf: entry.at ?? judge.asOf() }
  }

  return {
    /** Reads a standby if the question allows it and the standby shows all known changes. Otherwise the primary. */
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
