import { ApiError } from '../errors.ts'
import { createDatabaseReads, type DatabaseReadsDeps } from './database-reads.ts'
import type { Entry } from './entry.ts'
import { type Answer, answerOf, judged, type Question } from './question.ts'
import type { SharedCache } from './redis.ts'

export type ReadThrough = {
  /** At once where memory can answer. Rejects as `fill` does, and with 503 where `noCache` cannot be kept. */
  read(question: Question): Answer | Promise<Answer>
  /**
   * What memory can answer now; undefined: ask `read`, as one asker between two probes is told for the probe's sake.
   * By the question's `entryName` alone, so that whoever remembers many need not keep the questions.
   */
  readAtOnce(name: string): Answer | undefined
  /**
   * Reads again, from the primary, an answer that was lately served from memory, and compares the bytes.
   * `different`: the fence took an answer for fresh that was not. `superseded`: it changed meanwhile.
   * `nothing`: none was served since the last time.
   */
  probe(): Promise<ProbeResult>
  /** Reads of the primary so far, for tests and metrics. */
  readonly fills: number
}

export type ProbeResult = 'same' | 'superseded' | 'different' | 'nothing'

type Flight = {
  startedAt: number
  /** Reads the database, and nothing that was read before it started. */
  isDirect: boolean
  /**
   * Until it has landed. V8's maps are made anew as entries come and go, and the former ones lead to the present: what
   * they hold is kept until the next full collection. So what has landed must lead to no answer.
   */
  result: Promise<Answer> | undefined
}

type Deps = DatabaseReadsDeps & {
  /** How a failed read waits before the next one is tried. */
  wait: (ms: number) => Promise<unknown>
}

/** How long a failed read also fails later callers, so that they do not retry one after another. */
const failureMs = 100

const isOverloaded = (error: unknown) => error instanceof ApiError && error.code === 'overloaded'
/** Requests that came later have waited less: a refusal of the first is none of theirs. */
const ignoreOverload = (error: unknown): undefined => {
  if (!isOverloaded(error)) throw error
}

/**
 * Memory, then Redis, then the database. Misses on one key share a flight in this process; the queue in front of the
 * database bounds the reads of all keys. A caller that joins a flight takes its answer only if the answer shows all
 * changes known by then.
 */
export const createReadThrough = ({ memory, shared, judge, wait }: Deps): ReadThrough => {
  const flights = new Map<string, Flight>()
  const database = createDatabaseReads({ memory, shared, judge })
  /** Counts arrivals and starts, which tells what began before what. */
  let tick = 0
  /** The question answered from memory first since the last probe. */
  let sample: { question: Question; entry: Entry } | undefined

  /** What the database says now is better than a stale answer, where only the polls fail. */
  const preferNew = (answer: Answer, read: () => Promise<Answer>): Answer | Promise<Answer> =>
    answer.staleSeconds === undefined ? answer : judge.readOr(read, answer)

  const readShared = async (question: Question, cache: SharedCache): Promise<Answer> => {
    const { customerId, key, dependsOn } = question
    const entry = await cache.get(customerId, key, dependsOn)
    const answer = entry && (await judged(judge, entry, 'redis'))
    if (!entry || !answer) return database.read(question)
    memory.set(entry)
    return preferNew(answer, () => database.readPrimary(question))
  }

  const start = (name: string, question: Question): Promise<Answer> => {
    tick += 1
    const isDirect = question.noCache || !(shared || question.fillFromReplica)
    const result = question.noCache || !shared ? database.read(question) : readShared(question, shared)
    const flight: Flight = { startedAt: tick, isDirect, result }
    flights.set(name, flight)
    const land = () => {
      if (flights.get(name) === flight) flights.delete(name)
      flight.result = undefined
    }
    // Both handlers: a failed flight must not be an unhandled rejection.
    result.then(land, (error) => (isOverloaded(error) ? land() : wait(failureMs).then(land)))
    return result
  }

  const own = async (result: Promise<Answer>): Promise<Answer> => {
    const answer = await result
    judge.noteServed(answer.entry)
    return answer
  }

  const begunSince = (flight: Flight | undefined, arrivedAt: number, { noCache }: Question) =>
    flight !== undefined && flight.startedAt > arrivedAt && (flight.isDirect || !noCache) ? flight : undefined

  const readSlowly = async (name: string, question: Question, arrivedAt: number): Promise<Answer> => {
    const running = flights.get(name)
    if (running?.result && !question.noCache && !begunSince(running, arrivedAt, question)) {
      const joined = await running.result.catch(ignoreOverload)
      const answer = joined && (await judged(judge, joined.entry, joined.outcome))
      if (answer) {
        return preferNew({ ...answer, isStored: joined.isStored }, () => readAnew(name, question, arrivedAt))
      }
    }
    // What began before we came tells of a time before: ours begins now, or somebody's began meanwhile.
    return own(begunSince(flights.get(name), arrivedAt, question)?.result ?? start(name, question))
  }

  /** From the primary, and nothing that was read before this call. */
  const readAnew = (name: string, question: Question, arrivedAt: number) =>
    readSlowly(name, { ...question, noCache: true }, arrivedAt)

  const readConfirmed = async (name: string, question: Question, arrivedAt: number): Promise<Answer> => {
    // Without a poll nothing stored will do; a read that begins now still says what was committed before.
    const isConfirmed = await judge.confirm()
    const entry = memory.get(question.customerId, question.key)
    if (isConfirmed && entry && judge.checkConfirmed(entry) === 'fresh')
      return answerOf(judge, entry, 'memory')
    return readSlowly(name, question, arrivedAt)
  }

  return {
    readAtOnce(name) {
      const entry = sample && memory.find(name)
      return entry && judge.check(entry) === 'fresh' ? answerOf(judge, entry, 'memory') : undefined
    },
    read(question) {
      const { customerId, key } = question
      const entry = question.noCache ? undefined : memory.get(customerId, key)
      const freshness = entry && judge.check(entry)
      if (entry && freshness === 'fresh') {
        sample ??= { question, entry }
        return answerOf(judge, entry, 'memory')
      }
      tick += 1
      const name = `${customerId}\0${key}`
      if (question.noCache) return readConfirmed(name, question, tick)
      if (!entry || freshness === 'behind') return readSlowly(name, question, tick)
      const arrivedAt = tick
      return judged(judge, entry, 'memory', freshness).then((answer) =>
        answer
          ? preferNew(answer, () => readAnew(name, question, arrivedAt))
          : readSlowly(name, question, arrivedAt),
      )
    },
    async probe() {
      if (!sample) return 'nothing'
      const { question, entry } = sample
      sample = undefined
      const { body, isAbsent } = await question.fill()
      if (isAbsent === entry.isAbsent && body.equals(entry.body)) return 'same'
      // Whatever the fill has seen is in a poll after it: still fresh means that no change was logged.
      if (!(await judge.confirm())) return 'superseded'
      return judge.checkConfirmed(entry) === 'fresh' ? 'different' : 'superseded'
    },
    get fills() {
      return database.fills
    },
  }
}
