import { unavailable } from '../errors.ts'
import { isTimeout, within } from '../overload/timer.ts'
import type { CacheEntry, Filled, ReadRequest } from './entry.ts'
import { type FreshnessCheck, type ReadResult, toCheckedResult } from './freshness.ts'
import type { MemoryCache } from './memory.ts'
import type { SharedCache } from './redis.ts'
import { isFromServer } from './snapshot.ts'

export type DatabaseReadsDeps = {
  memory: MemoryCache
  shared: SharedCache | undefined
  freshness: FreshnessCheck
  /** While polls fail, a read of the primary that takes longer is answered with 503. In milliseconds. */
  longestWaitMs: number
}

const toEntry = (request: ReadRequest, epoch: string, filled: Filled): CacheEntry => {
  const { customerId, key, dependsOn, fill } = request
  const { server: _server, standby: _standby, ...content } = filled
  return { ...content, customerId, key, dependsOn, fill, epoch, encoded: new Map() }
}

/** Creates the reads of the primary and its standby, which store their results in both caches. */
export const createDatabaseReads = ({ memory, shared, freshness, longestWaitMs }: DatabaseReadsDeps) => {
  let fills = 0

  const store = (entry: CacheEntry): boolean => {
    // An entry that is behind is of no use to other instances, and its customer may have been erased during the read.
    if (shared && !freshness.isBehind(entry)) shared.set(entry)
    return memory.set(entry)
  }

  /** If a server responded that the last poll did not read (restart, fail-over), polls again. */
  const settleEpoch = async (before: string, server: string | undefined): Promise<string> => {
    if (server === undefined || isFromServer(before, server)) return before
    await freshness.confirmAfter()
    const epoch = freshness.epoch()
    if (isFromServer(epoch, server)) return epoch
    throw unavailable()
  }

  /** `undefined` if the standby lags, follows another primary or fails. While polls fail, the result is stale. */
  const readReplica = async (request: ReadRequest): Promise<ReadResult | undefined> => {
    const [epoch, mark] = [freshness.epoch(), freshness.mark()]
    const filled = await request.fillFromReplica?.().catch(() => undefined)
    if (!filled || filled.standby !== mark) return undefined
    const entry = toEntry(request, epoch, filled)
    // Usually the running poll covers the entry, and a second one is only needed if the primary is distant.
    // See docs/decisions/0031-standby-answers-wait-for-a-poll.md.
    if (freshness.mayBeAhead(entry) && !freshness.isAway()) await freshness.confirm()
    if (freshness.mayBeAhead(entry) && !freshness.isAway()) await freshness.confirmAfter()
    const result = await toCheckedResult(freshness, entry, 'database')
    return result && { ...result, isStored: store(entry) }
  }

  /** A database that hangs would hold the request until the driver ends the connection, after 6 s. */
  const fillInTime = async (request: ReadRequest): Promise<Filled> => {
    if (!freshness.isAway()) return request.fill()
    try {
      return await within(longestWaitMs, request.fill())
    } catch (error) {
      throw isTimeout(error) ? unavailable() : error
    }
  }

  /**
   * Rejects as `fill` does, and with 503 if the server is not the one that the polls read, or if polls fail and the
   * answer is late.
   */
  const readPrimary = async (request: ReadRequest): Promise<ReadResult> => {
    fills += 1
    const [before, mark] = [freshness.epoch(), freshness.mark()]
    const filled = await fillInTime(request)
    const { server, standby } = filled
    const entry = toEntry(request, await settleEpoch(before, server), filled)
    // `server` is undefined if DATABASE_URL leads to a standby.
    const isForeign = standby !== undefined && standby !== mark
    if (isForeign || (server === undefined && (await freshness.check(entry)) !== 'fresh')) throw unavailable()
    // The last poll may be newer than this read, so its time is only the fallback.
    return {
      entry,
      outcome: 'database',
      isStored: store(entry),
      asOf: entry.at ?? freshness.asOf(),
      isDistrusted: entry.dependsOn.some(freshness.isDistrusted),
    }
  }

  return {
    /** Reads the standby, or the primary if the standby is behind or stale, or if `noCache` is true. */
    async read(request: ReadRequest): Promise<ReadResult> {
      const fromStandby = request.fillFromReplica && !request.noCache ? await readReplica(request) : undefined
      if (!fromStandby) return readPrimary(request)
      return fromStandby.staleSeconds === undefined
        ? fromStandby
        : freshness.readOr(() => readPrimary(request), fromStandby)
    },
    readPrimary,
    get fills() {
      return fills
    },
  }
}
