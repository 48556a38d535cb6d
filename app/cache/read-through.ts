import { ApiError } from '../errors.ts'
import { createDatabaseReads, type DatabaseReadsDeps } from './database-reads.ts'
import type { CacheEntry, Filled, ReadRequest } from './entry.ts'
import { type ReadResult, toCheckedResult, toFreshResult } from './freshness.ts'
import { entryName } from './memory.ts'
import type { SharedCache } from './redis.ts'

/** `different`: a change was not logged. `superseded`: it was logged in the meantime, or the poll failed. */
export type ProbeResult = 'same' | 'superseded' | 'different' | 'nothing'

export type Probe = Readonly<{
  result: ProbeResult
  /** The resources of a difference: any of them may have caused it. */
  dependsOn: readonly string[]
}>

type InFlight = {
  startedAt: number
  /** Reads only the primary, so its data are not older than its start. */
  isDirect: boolean
  /** `undefined` at the end, because V8 retains old tables of a map and their values. */
  result: Promise<ReadResult> | undefined
}

type Deps = DatabaseReadsDeps & {
  wait: (ms: number) => Promise<unknown>
}

/** Requests share a failed read for this time, which protects a failing database. */
const failureMs = 100

const isOverloaded = (error: unknown) => error instanceof ApiError && error.code === 'overloaded'
/** A request that joined has waited less, and the queue may still accept it. */
const ignoreOverload = (error: unknown): undefined => {
  if (!isOverloaded(error)) throw error
}

/** Another `SECRET_KEY` signs the same position with other bytes. */
const withoutCursor = (body: Buffer): string => body.toString().replace(/"next_cursor":"[^"]*"/, '')

const isSame = (entry: CacheEntry, { isAbsent, body }: Filled): boolean =>
  isAbsent === entry.isAbsent &&
  (body.equals(entry.body) || withoutCursor(body) === withoutCursor(entry.body))

/** Reads memory, then Redis, then the database. Concurrent misses of one key share a read. */
export const createReadThrough = ({ memory, shared, freshness, longestWaitMs, wait }: Deps) => {
  const inFlight = new Map<string, InFlight>()
  const database = createDatabaseReads({ memory, shared, freshness, longestWaitMs })
  let tick = 0
  /** The names in memory that the probe has still to compare in this round. */
  let round: Iterator<string> | undefined
  /** The last entry from Redis that memory had no room for. */
  let unstored: CacheEntry | undefined

  const findNextToProbe = (): CacheEntry | undefined => {
    if (unstored) {
      const entry = unstored
      unstored = undefined
      return entry
    }
    round ??= memory.names().values()
    for (;;) {
      const { value: name, done } = round.next()
      const entry = done ? undefined : memory.peek(name)
      if (entry && !freshness.isBehind(entry)) return entry
      if (!done) continue
      round = undefined
      return undefined
    }
  }

  const dependsOnDistrusted = ({ dependsOn }: CacheEntry): boolean => dependsOn.some(freshness.isDistrusted)

  /** Replaces a stale result by a new read, unless reads fail or are slow (`readOr`). */
  const preferNew = (
    result: ReadResult,
    read: () => Promise<ReadResult>,
  ): ReadResult | Promise<ReadResult> =>
    result.staleSeconds === undefined ? result : freshness.readOr(read, result)

  const readShared = async (request: ReadRequest, cache: SharedCache): Promise<ReadResult> => {
    const { customerId, key, dependsOn, fill } = request
    const stored = await cache.get(customerId, key, dependsOn)
    const entry = stored && { ...stored, fill }
    const result = entry && (await toCheckedResult(freshness, entry, 'redis'))
    if (!entry || !result) return database.read(request)
    if (!memory.set(entry)) unstored = entry
    return preferNew(result, () => database.readPrimary(request))
  }

  const startRead = (name: string, request: ReadRequest): Promise<ReadResult> => {
    tick += 1
    const isDirect = request.noCache || !(shared || request.fillFromReplica)
    const result = request.noCache || !shared ? database.read(request) : readShared(request, shared)
    const started: InFlight = { startedAt: tick, isDirect, result }
    inFlight.set(name, started)
    const end = () => {
      if (inFlight.get(name) === started) inFlight.delete(name)
      started.result = undefined
    }
    result.then(end, (error) => (isOverloaded(error) ? end() : wait(failureMs).then(end)))
    return result
  }

  /** Returns a read that started after `arrivedAt` and satisfies `noCache`. */
  const findLaterRead = (name: string, arrivedAt: number, noCache: boolean) => {
    const found = inFlight.get(name)
    return found && found.startedAt > arrivedAt && (found.isDirect || !noCache) ? found.result : undefined
  }

  const readUncached = async (request: ReadRequest, arrivedAt: number): Promise<ReadResult> => {
    const { customerId, key, noCache } = request
    const name = entryName(customerId, key)
    const earlier =
      noCache || findLaterRead(name, arrivedAt, noCache) ? undefined : inFlight.get(name)?.result
    if (earlier) {
      const joined = await earlier.catch(ignoreOverload)
      const checked = joined && (await toCheckedResult(freshness, joined.entry, joined.outcome))
      if (checked) {
        const result = { ...checked, isStored: joined.isStored }
        return preferNew(result, () => readUncached({ ...request, noCache: true }, arrivedAt))
      }
    }
    const result = await (findLaterRead(name, arrivedAt, noCache) ?? startRead(name, request))
    freshness.noteServed(result.entry)
    return result
  }

  const readConfirmed = async (request: ReadRequest, arrivedAt: number): Promise<ReadResult> => {
    const isConfirmed = await freshness.confirmAfter()
    const entry = memory.get(entryName(request.customerId, request.key))
    // Polls do not report the changes of a distrusted resource.
    if (isConfirmed && entry && freshness.checkConfirmed(entry) === 'fresh' && !dependsOnDistrusted(entry))
      return toFreshResult(freshness, entry, 'memory')
    return readUncached(request, arrivedAt)
  }

  return {
    /** Returns a fresh result from memory. `undefined`: call `read`. */
    readFresh(name: string): ReadResult | undefined {
      const entry = memory.get(name)
      return entry && freshness.check(entry) === 'fresh' && !dependsOnDistrusted(entry)
        ? toFreshResult(freshness, entry, 'memory')
        : undefined
    },
    /** Synchronous if memory has a fresh entry. Rejects as `fill` does, or with 503 if another server responds. */
    read(request: ReadRequest): ReadResult | Promise<ReadResult> {
      const { noCache } = request
      const entry = noCache ? undefined : memory.get(entryName(request.customerId, request.key))
      const verdict = entry && freshness.check(entry)
      if (entry && verdict === 'fresh') return toFreshResult(freshness, entry, 'memory')
      tick += 1
      const arrivedAt = tick
      if (noCache) return readConfirmed(request, arrivedAt)
      if (!entry || verdict === 'behind') return readUncached(request, arrivedAt)
      return toCheckedResult(freshness, entry, 'memory', verdict).then((result) =>
        result
          ? preferNew(result, () => readUncached({ ...request, noCache: true }, arrivedAt))
          : readUncached(request, arrivedAt),
      )
    },
    /**
     * Reads the next entry of this instance again, and compares the bytes. A round covers all entries that may be
     * served, the last used first, and ends with `nothing`. Rejects as `fill` does.
     */
    async probe(): Promise<Probe> {
      const entry = findNextToProbe()
      if (!entry) return { result: 'nothing', dependsOn: [] }
      const { dependsOn } = entry
      if (isSame(entry, await entry.fill())) return { result: 'same', dependsOn }
      // This poll reports every logged change that `fill` has seen.
      const isCurrent = (await freshness.confirmAfter()) && freshness.checkConfirmed(entry) === 'fresh'
      return { result: isCurrent ? 'different' : 'superseded', dependsOn }
    },
    get fills() {
      return database.fills
    },
  }
}

export type ReadThrough = ReturnType<typeof createReadThrough>
