import { ApiError } from '../errors.ts'
import { createDatabaseReads, type DatabaseReadsDeps } from './database-reads.ts'
import type { CacheEntry, ReadRequest } from './entry.ts'
import { type ReadResult, toCheckedResult, toFreshResult } from './freshness.ts'
import type { SharedCache } from './redis.ts'

/** `different`: a change was not logged. `superseded`: it was logged in the meantime, or the poll failed. */
export type ProbeResult = 'same' | 'superseded' | 'different' | 'nothing'

type Flight = {
  startedAt: number
  /** Reads only the primary, so its data are not older than its start. */
  isDirect: boolean
  /** `undefined` after landing, because V8 retains old tables of a map and their values. */
  result: Promise<ReadResult> | undefined
}

type Deps = DatabaseReadsDeps & {
  wait: (ms: number) => Promise<unknown>
}

const failureMs = 100

const isOverloaded = (error: unknown) => error instanceof ApiError && error.code === 'overloaded'
/** A request that joined has waited less, and the queue may still accept it. */
const ignoreOverload = (error: unknown): undefined => {
  if (!isOverloaded(error)) throw error
}

/** Reads memory, then Redis, then the database. Concurrent misses of one key share a flight. */
export const createReadThrough = ({ memory, shared, judge, wait }: Deps) => {
  const flights = new Map<string, Flight>()
  const database = createDatabaseReads({ memory, shared, judge })
  let tick = 0
  /** The first read from memory since the last probe. */
  let sample: { question: ReadRequest; entry: CacheEntry } | undefined

  const preferNew = (
    answer: ReadResult,
    read: () => Promise<ReadResult>,
  ): ReadResult | Promise<ReadResult> =>
    answer.staleSeconds === undefined ? answer : judge.readOr(read, answer)

  const readShared = async (question: ReadRequest, cache: SharedCache): Promise<ReadResult> => {
    const { customerId, key, dependsOn } = question
    const entry = await cache.get(customerId, key, dependsOn)
    const answer = entry && (await toCheckedResult(judge, entry, 'redis'))
    if (!entry || !answer) return database.read(question)
    memory.set(entry)
    return preferNew(answer, () => database.readPrimary(question))
  }

  const start = (name: string, question: ReadRequest): Promise<ReadResult> => {
    tick += 1
    const isDirect = question.noCache || !(shared || question.fillFromReplica)
    const result = question.noCache || !shared ? database.read(question) : readShared(question, shared)
    const flight: Flight = { startedAt: tick, isDirect, result }
    flights.set(name, flight)
    const land = () => {
      if (flights.get(name) === flight) flights.delete(name)
      flight.result = undefined
    }
    result.then(land, (error) => (isOverloaded(error) ? land() : wait(failureMs).then(land)))
    return result
  }

  const own = async (result: Promise<ReadResult>): Promise<ReadResult> => {
    const answer = await result
    judge.noteServed(answer.entry)
    return answer
  }

  const begunSince = (flight: Flight | undefined, arrivedAt: number, { noCache }: ReadRequest) =>
    flight !== undefined && flight.startedAt > arrivedAt && (flight.isDirect || !noCache) ? flight : undefined

  const readSlowly = async (name: string, question: ReadRequest, arrivedAt: number): Promise<ReadResult> => {
    const running = flights.get(name)
    if (running?.result && !question.noCache && !begunSince(running, arrivedAt, question)) {
      const joined = await running.result.catch(ignoreOverload)
      const answer = joined && (await toCheckedResult(judge, joined.entry, joined.outcome))
      if (answer) {
        return preferNew({ ...answer, isStored: joined.isStored }, () => readAnew(name, question, arrivedAt))
      }
    }
    return own(begunSince(flights.get(name), arrivedAt, question)?.result ?? start(name, question))
  }

  const readAnew = (name: string, question: ReadRequest, arrivedAt: number) =>
    readSlowly(name, { ...question, noCache: true }, arrivedAt)

  const readConfirmed = async (
    name: string,
    question: ReadRequest,
    arrivedAt: number,
  ): Promise<ReadResult> => {
    const isConfirmed = await judge.confirm()
    const entry = memory.get(question.customerId, question.key)
    if (isConfirmed && entry && judge.checkConfirmed(entry) === 'fresh')
      return toFreshResult(judge, entry, 'memory')
    return readSlowly(name, question, arrivedAt)
  }

  return {
    /** Returns a fresh answer from memory. `undefined`: call `read`, even if only the probe needs a sample. */
    readAtOnce(name: string): ReadResult | undefined {
      const entry = sample && memory.find(name)
      return entry && judge.check(entry) === 'fresh' ? toFreshResult(judge, entry, 'memory') : undefined
    },
    /** Synchronous if memory has a fresh entry. Rejects as `fill` does, or with 503 if another server responds. */
    read(question: ReadRequest): ReadResult | Promise<ReadResult> {
      const { customerId, key } = question
      const entry = question.noCache ? undefined : memory.get(customerId, key)
      const freshness = entry && judge.check(entry)
      if (entry && freshness === 'fresh') {
        sample ??= { question, entry }
        return toFreshResult(judge, entry, 'memory')
      }
      tick += 1
      const name = `${customerId}\0${key}`
      if (question.noCache) return readConfirmed(name, question, tick)
      if (!entry || freshness === 'behind') return readSlowly(name, question, tick)
      const arrivedAt = tick
      return toCheckedResult(judge, entry, 'memory', freshness).then((answer) =>
        answer
          ? preferNew(answer, () => readAnew(name, question, arrivedAt))
          : readSlowly(name, question, arrivedAt),
      )
    },
    /** Reads again an answer that memory has served since the last probe, and compares the bytes. */
    async probe(): Promise<ProbeResult> {
      if (!sample) return 'nothing'
      const { question, entry } = sample
      sample = undefined
      const { body, isAbsent } = await question.fill()
      if (isAbsent === entry.isAbsent && body.equals(entry.body)) return 'same'
      // This poll reports every logged change that `fill` has seen.
      if (!(await judge.confirm())) return 'superseded'
      return judge.checkConfirmed(entry) === 'fresh' ? 'different' : 'superseded'
    },
    get fills() {
      return database.fills
    },
  }
}

export type ReadThrough = ReturnType<typeof createReadThrough>
