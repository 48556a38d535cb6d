import { ApiError, unavailable } from '../errors.ts'
import type { Entry } from './entry.ts'
import { isServerOf } from './epoch.ts'
import type { Judge } from './freshness.ts'
import type { MemoryCache } from './memory.ts'
import type { Answer, CacheLayer, Question } from './question.ts'
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

const isOverloaded = (error: unknown) => error instanceof ApiError && error.code === 'overloaded'
/** Requests that came later have waited less: a refusal of the first is none of theirs. */
const ignoreOverload = (error: unknown): undefined => {
  if (!isOverloaded(error)) throw error
}

/** Nothing can have been read so long after the last poll: the database's clock was set back since. */
const aheadMs = 1_000

/** The later of the last poll and the moment that an entry shows; the poll where an entry claims a time to come. */
const laterOf = (polled: string, read: string | undefined): string =>
  read !== undefined && read > polled && Date.parse(read) - Date.parse(polled) < aheadMs ? read : polled

/**
 * Memory, then Redis, then the database. Misses on one key share a flight, in this process and, through Redis,
 * between processes. Whoever joined a flight takes its answer only if that shows all that is known by then.
 */
export const createReadThrough = ({ memory, shared, judge, wait }: Deps): ReadThrough => {
  const flights = new Map<string, Flight>()
  let fills = 0
  /** Counts arrivals and starts, which tells what began before what. */
  let tick = 0
  /** The question answered from memory first since the last probe. */
  let sample: { question: Question; entry: Entry } | undefined

  const answerOf = (entry: Entry, outcome: CacheLayer): Answer => {
    return { entry, outcome, asOf: laterOf(judge.asOf(), entry.at) }
  }

  /** Undefined where the entry will not do. */
  const judged = async (
    entry: Entry,
    outcome: CacheLayer,
    pending = judge.check(entry),
  ): Promise<Answer | undefined> => {
    const freshness = await pending
    if (freshness === 'behind') return undefined
    const answer = answerOf(entry, outcome)
    return freshness === 'fresh' ? answer : { ...answer, staleSeconds: judge.staleSeconds() }
  }

  /** Returns whether memory has the entry now. Redis is told, and not waited for. */
  const keep = (entry: Entry): boolean => {
    shared?.set(entry)
    return memory.set(entry)
  }

  /** A server that the polls do not know was restarted since the last one, or is not the one that counts. */
  const settleEpoch = async (before: string, server: string | undefined): Promise<string> => {
    if (server === undefined || isServerOf(before, server)) return before
    await judge.confirm()
    const epoch = judge.epoch()
    if (isServerOf(epoch, server)) return epoch
    throw unavailable()
  }

  /** Undefined where the standby lags behind what is known, shows another history, or does not answer. */
  const readReplica = async (question: Question) => {
    const { customerId, key, dependsOn, fillFromReplica } = question
    const [epoch, mark] = [judge.epoch(), judge.mark()]
    const found = await fillFromReplica?.().catch(() => undefined)
    // One that was promoted has a history of its own, and so has one that follows another primary.
    if (!found || found.standby !== mark) return undefined
    const { standby: _, ...filled } = found
    const entry: Entry = { ...filled, customerId, key, dependsOn, epoch, encoded: new Map() }
    // What it shows beyond its snapshot would be taken back by the next answer, unless a poll knows of it first.
    if (judge.mayBeAhead(entry) && !judge.isAway()) await judge.confirm()
    const answer = await judged(entry, 'database')
    return answer && { ...answer, isStored: keep(entry) }
  }

  const readDatabase = async (question: Question): Promise<Answer> => {
    if (question.fillFromReplica && !question.noCache) {
      const answer = await readReplica(question)
      if (answer) return answer
    }
    return readPrimary(question)
  }

  const readPrimary = async (question: Question): Promise<Answer> => {
    const { customerId, key, dependsOn, fill } = question
    fills += 1
    const [before, mark] = [judge.epoch(), judge.mark()]
    const { server, standby, ...filled } = await fill()
    const epoch = await settleEpoch(before, server)
    const entry: Entry = { ...filled, customerId, key, dependsOn, epoch, encoded: new Map() }
    // A standby in the primary's place may lag, however late it was asked.
    const isForeign = standby !== undefined && standby !== mark
    if (isForeign || (server === undefined && (await judge.check(entry)) !== 'fresh')) throw unavailable()
    const isStored = keep(entry)
    // Not the last poll's time: it may have shown what this read came too early for.
    return { entry, outcome: 'database', isStored, asOf: entry.at ?? judge.asOf() }
  }

  /** What is there, and the answer where it will do. */
  const judgeShared = async (entry: Entry | undefined) => {
    const answer = entry && (await judged(entry, 'redis'))
    if (entry && answer) memory.set(entry)
    return { entry, answer }
  }

  /** What the database says now is better than a stale answer, where only the polls fail. */
  const preferNew = (answer: Answer, read: () => Promise<Answer>): Answer | Promise<Answer> =>
    answer.staleSeconds === undefined ? answer : judge.readOr(read, answer)

  /** One instance reads; the others look again until its answer is there, or it takes too long. */
  const readTogether = async (question: Question, cache: SharedCache): Promise<Answer> => {
    const { customerId, key, dependsOn } = question
    const first = await cache.look(customerId, key, dependsOn)
    if (first.isOurs) return readDatabase(question)
    let found = await judgeShared(first.entry)
    for (let waitedMs = 0; !found.answer && waitedMs < patienceMs; waitedMs += lookEveryMs) {
      if (await cache.tryLease(customerId, key, found.entry)) break
      await wait(lookEveryMs)
      found = await judgeShared(await cache.get(customerId, key, dependsOn))
    }
    const { answer } = found
    return answer ? preferNew(answer, () => readPrimary(question)) : readDatabase(question)
  }

  const start = (name: string, question: Question): Promise<Answer> => {
    tick += 1
    const isDirect = question.noCache || !(shared || question.fillFromReplica)
    const result = question.noCache || !shared ? readDatabase(question) : readTogether(question, shared)
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
      const answer = joined && (await judged(joined.entry, joined.outcome))
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
    if (isConfirmed && entry && judge.checkConfirmed(entry) === 'fresh') return answerOf(entry, 'memory')
    return readSlowly(name, question, arrivedAt)
  }

  return {
    readAtOnce(name) {
      const entry = sample && memory.find(name)
      return entry && judge.check(entry) === 'fresh' ? answerOf(entry, 'memory') : undefined
    },
    read(question) {
      const { customerId, key } = question
      const entry = question.noCache ? undefined : memory.get(customerId, key)
      const freshness = entry && judge.check(entry)
      if (entry && freshness === 'fresh') {
        sample ??= { question, entry }
        return answerOf(entry, 'memory')
      }
      tick += 1
      const name = `${customerId}\0${key}`
      if (question.noCache) return readConfirmed(name, question, tick)
      if (!entry || freshness === 'behind') return readSlowly(name, question, tick)
      const arrivedAt = tick
      return judged(entry, 'memory', freshness).then((answer) =>
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
      return fills
    },
  }
}
