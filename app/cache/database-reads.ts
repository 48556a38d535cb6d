import { unavailable } from '../errors.ts'
import type { Entry } from './entry.ts'
import { isServerOf } from './epoch.ts'
import type { Judge } from './freshness.ts'
import type { MemoryCache } from './memory.ts'
import { type Answer, judged, type Question } from './question.ts'
import type { SharedCache } from './redis.ts'

/** Reads answers from the database and keeps them in the caches. */
export type DatabaseReads = {
  /** From a standby where it shows all that is known and the question allows it, else from the primary. */
  read(question: Question): Promise<Answer>
  /** Rejects as `fill` does, and with 503 if the server is not the one that the polls know. */
  readPrimary(question: Question): Promise<Answer>
  /** Reads of the primary so far, for tests and metrics. */
  readonly fills: number
}

export type DatabaseReadsDeps = { memory: MemoryCache; shared: SharedCache | undefined; judge: Judge }

export const createDatabaseReads = ({ memory, shared, judge }: DatabaseReadsDeps): DatabaseReads => {
  let fills = 0

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
  const readReplica = async (question: Question): Promise<Answer | undefined> => {
    const { customerId, key, dependsOn, fillFromReplica } = question
    const [epoch, mark] = [judge.epoch(), judge.mark()]
    const found = await fillFromReplica?.().catch(() => undefined)
    // One that was promoted has a history of its own, and so has one that follows another primary.
    if (!found || found.standby !== mark) return undefined
    const { standby: _, ...filled } = found
    const entry: Entry = { ...filled, customerId, key, dependsOn, epoch, encoded: new Map() }
    // What it shows beyond its snapshot would be taken back by the next answer, unless a poll knows of it first.
    // The poll that is under way mostly does; only far from the primary does it take long to ask for another.
    if (judge.mayBeAhead(entry) && !judge.isAway()) await judge.confirmSoon()
    if (judge.mayBeAhead(entry) && !judge.isAway()) await judge.confirm()
    const answer = await judged(judge, entry, 'database')
    return answer && { ...answer, isStored: keep(entry) }
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

  return {
    async read(question) {
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
