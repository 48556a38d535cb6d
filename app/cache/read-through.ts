import { ApiError } from '../errors.ts'
import type { Entry, Filled } from './entry.ts'
import type { Judge } from './freshness.ts'
import type { MemoryCache } from './memory.ts'
import type { SharedCache } from './redis.ts'

/** Where an answer came from, for `Cache-Status`. */
export type Outcome = 'memory' | 'redis' | 'database'

export type Answer = {
  entry: Entry
  outcome: Outcome
  /** Every commit before it is in the answer; RFC 3339. */
  asOf: string
  /** Seconds since it was known to be fresh; absent: it is. */
  staleSeconds?: number
}

export type Question = {
  customerId: string
  key: string
  /** Resources whose changes change the answer. */
  dependsOn: readonly string[]
  fill: () => Promise<Filled>
  /** Only an answer with everything that was committed before this call will do. */
  noCache: boolean
}

export type ReadThrough = {
  /** At once where memory can answer. Rejects as `fill` does, and with 503 where `noCache` cannot be kept. */
  read(question: Question): Answer | Promise<Answer>
  /** Database reads so far, for tests and metrics. */
  readonly fills: number
}

type Flight = {
  startedAt: number
  /** Reads the database, and nothing that was read before it started. */
  isDirect: boolean
  result: Promise<Answer>
}

type Deps = {
  memory: MemoryCache
  shared: SharedCache | undefined
  judge: Judge
  /** Waits a moment between looks at what another instance is reading. */
  wait: (ms: number) => Promise<unknown>
}

/** Another instance that reads for all gets this long before we read too. */
const patienceMs = 400
const lookEveryMs = 10
/** So long a failed read answers those who come after it: else each would try in turn. */
const failureMs = 100

/**
 * Memory, then Redis, then the database. Misses on one key share a flight, in this process and, through Redis,
 * between processes. Whoever joined a flight takes its answer only if that shows all that is known by then.
 */
export const createReadThrough = ({ memory, shared, judge, wait }: Deps): ReadThrough => {
  const flights = new Map<string, Flight>()
  let fills = 0
  /** Counts arrivals and starts, which tells what began before what. */
  let tick = 0

  const later = (a: string, b: string | undefined) => (b !== undefined && b > a ? b : a)
  const answerOf = (entry: Entry, outcome: Outcome): Answer => {
    return { entry, outcome, asOf: later(judge.asOf(), entry.at) }
  }
  const staleAnswer = (entry: Entry, outcome: Outcome): Answer => {
    return { ...answerOf(entry, outcome), staleSeconds: judge.staleSeconds() }
  }

  /** Undefined where the entry will not do. */
  const judged = async (entry: Entry, outcome: Outcome): Promise<Answer | undefined> => {
    const freshness = await judge.check(entry)
    if (freshness === 'behind') return undefined
    return freshness === 'fresh' ? answerOf(entry, outcome) : staleAnswer(entry, outcome)
  }

  const readDatabase = async ({ customerId, key, dependsOn, fill }: Question): Promise<Answer> => {
    fills += 1
    const filled = await fill()
    const entry: Entry = { ...filled, customerId, key, dependsOn, encoded: new Map() }
    memory.set(entry)
    shared?.set(entry)
    // Not the last poll's time: it may have shown what this read came too early for.
    return { entry, outcome: 'database', asOf: entry.at ?? judge.asOf() }
  }

  /** What is there, and the answer where it will do. */
  const readShared = async ({ customerId, key, dependsOn }: Question, cache: SharedCache) => {
    const entry = await cache.get(customerId, key, dependsOn)
    const answer = entry && (await judged(entry, 'redis'))
    if (entry && answer) memory.set(entry)
    return { entry, answer }
  }

  /** One instance reads; the others look again until its answer is there, or it takes too long. */
  const readTogether = async (question: Question, cache: SharedCache): Promise<Answer> => {
    const { customerId, key } = question
    let found = await readShared(question, cache)
    for (let waitedMs = 0; !found.answer && waitedMs < patienceMs; waitedMs += lookEveryMs) {
      if (await cache.tryLease(customerId, key, found.entry)) break
      await wait(lookEveryMs)
      found = await readShared(question, cache)
    }
    return found.answer ?? readDatabase(question)
  }

  const start = (name: string, question: Question): Flight => {
    tick += 1
    const isDirect = question.noCache || !shared
    const result = isDirect ? readDatabase(question) : readTogether(question, shared)
    const flight: Flight = { startedAt: tick, isDirect, result }
    flights.set(name, flight)
    const land = () => {
      if (flights.get(name) === flight) flights.delete(name)
    }
    // Both handlers: a failed flight must not be an unhandled rejection.
    result.then(land, () => wait(failureMs).then(land))
    return flight
  }

  const own = async (flight: Flight): Promise<Answer> => {
    const answer = await flight.result
    judge.noteServed(answer.entry)
    return answer
  }

  const begunSince = (flight: Flight | undefined, arrivedAt: number, { noCache }: Question) =>
    flight !== undefined && flight.startedAt > arrivedAt && (flight.isDirect || !noCache) ? flight : undefined

  const readSlowly = async (name: string, question: Question, arrivedAt: number): Promise<Answer> => {
    const running = flights.get(name)
    if (running && !question.noCache && !begunSince(running, arrivedAt, question)) {
      const { entry, outcome } = await running.result
      const answer = await judged(entry, outcome)
      if (answer) return answer
    }
    // What began before we came tells of a time before: ours begins now, or somebody's began meanwhile.
    return own(begunSince(flights.get(name), arrivedAt, question) ?? start(name, question))
  }

  const readConfirmed = async (name: string, question: Question, arrivedAt: number): Promise<Answer> => {
    if (!(await judge.confirm())) {
      throw new ApiError('unavailable', { headers: { 'retry-after': '1' } })
    }
    const entry = memory.get(question.customerId, question.key)
    if (entry && judge.checkConfirmed(entry) === 'fresh') return answerOf(entry, 'memory')
    return readSlowly(name, question, arrivedAt)
  }

  const readJudged = async (
    name: string,
    question: Question,
    arrivedAt: number,
    entry: Entry,
  ): Promise<Answer> => (await judged(entry, 'memory')) ?? readSlowly(name, question, arrivedAt)

  return {
    read(question) {
      const { customerId, key } = question
      const entry = question.noCache ? undefined : memory.get(customerId, key)
      const freshness = entry && judge.check(entry)
      if (entry && freshness === 'fresh') return answerOf(entry, 'memory')
      tick += 1
      const name = `${customerId}\0${key}`
      if (question.noCache) return readConfirmed(name, question, tick)
      return entry && freshness !== 'behind'
        ? readJudged(name, question, tick, entry)
        : readSlowly(name, question, tick)
    },
    get fills() {
      return fills
    },
  }
}
