import type { Entry, Filled } from './entry.ts'
import type { Freshness } from './freshness.ts'
import type { MemoryCache } from './memory.ts'
import type { SharedCache } from './redis.ts'

/** Where an answer came from, for `Cache-Status`. */
export type Outcome = 'memory' | 'redis' | 'database'

export type Answer = { entry: Entry; outcome: Outcome }

export type Question = {
  customerId: string
  key: string
  /** Reads the database; undefined: there is nothing, which is not kept. */
  fill: () => Promise<Filled | undefined>
  /** Only an answer whose query is sent after this call will do. */
  noCache: boolean
}

export type ReadThrough = {
  /** At once where memory can answer; undefined: there is no such record. Rejects as `fill` does. */
  read(question: Question): Answer | Promise<Answer | undefined>
}

type Flight = { startedAt: number; result: Promise<Answer | undefined> }

type Deps = {
  memory: MemoryCache
  shared: SharedCache | undefined
  freshness: Freshness
  /** Monotonic milliseconds. */
  now: () => number
}

/**
 * Memory, then Redis, then the database. Misses on one key share a flight; whoever joined one takes its
 * answer only if it is still fresh when it comes, or was asked for after the joiner arrived.
 */
export const createReadThrough = ({ memory, shared, freshness, now }: Deps): ReadThrough => {
  const flights = new Map<string, Flight>()

  const readDatabase = async ({ customerId, key, fill }: Question): Promise<Answer | undefined> => {
    const startedAt = now()
    const filled = await fill()
    if (!filled) return undefined
    const staleAt = freshness.staleAt(startedAt)
    const entry: Entry = { ...filled, customerId, key, staleAt, encoded: new Map() }
    memory.set(entry)
    shared?.set(entry)
    return { entry, outcome: 'database' }
  }

  const readShared = async (question: Question): Promise<Answer | undefined> => {
    const entry = await shared?.get(question.customerId, question.key)
    if (!entry || !freshness.isFresh(entry)) return undefined
    memory.set(entry)
    return { entry, outcome: 'redis' }
  }

  const start = (name: string, question: Question): Flight => {
    const result = question.noCache || !shared ? readDatabase(question) : readBoth(question)
    const flight: Flight = { startedAt: now(), result }
    flights.set(name, flight)
    // Both handlers: a failed flight must neither stay nor be an unhandled rejection.
    const land = () => {
      if (flights.get(name) === flight) flights.delete(name)
    }
    result.then(land, land)
    return flight
  }

  const readBoth = async (question: Question) =>
    (await readShared(question)) ?? (await readDatabase(question))

  const readSlowly = async (name: string, question: Question): Promise<Answer | undefined> => {
    const arrivedAt = now()
    const running = question.noCache ? undefined : flights.get(name)
    if (!running) return start(name, question).result
    const answer = await running.result
    if (answer && freshness.isFresh(answer.entry)) return answer
    // It took so long that it tells of a time before we came: the next flight begins after.
    const next = flights.get(name)
    return (next && next.startedAt >= arrivedAt ? next : start(name, question)).result
  }

  return {
    read(question) {
      if (!question.noCache) {
        const entry = memory.get(question.customerId, question.key)
        if (entry && freshness.isFresh(entry)) return { entry, outcome: 'memory' }
      }
      return readSlowly(`${question.customerId}\0${question.key}`, question)
    },
  }
}
