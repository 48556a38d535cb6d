import { Agent } from 'node:http'
import { performance } from 'node:perf_hooks'
import { type Answer, ask, mayRepeat, type Outcome, type Question } from './ask.ts'
import {
  type Credentials,
  getInstance,
  getKind,
  getQuestion,
  hasOneBody,
  isCounted,
  type Kind,
} from './mix.ts'

/** One request of the load and its outcome. Times are from `performance.now()`. */
export type Observation = { kind: Kind; sentAt: number; ms: number; outcome: Outcome; isFromRedis: boolean }

/** Sends the load to each of these ports in turn. */
export type Route = {
  ports: readonly number[]
  /** Whether a read without an answer is repeated at the other instance. */
  triesOther?: boolean
}

export type Load = {
  /** Ends the load. Resolves with every request when all are answered. */
  stop(): Promise<Observation[]>
}

export type LoadMaker = {
  start(route: Route): Load
  /** Sends one request that is not part of a load, such as a probe. It counts in the quota, too. */
  askCounted(agent: Agent, port: number, question: Question): Promise<Answer>
  /** Requests of the last 61 seconds that count in the quota. */
  countedLately(): number
}

/** About a fifth of the capacity of one instance on one slow core. */
const perSecond = 48
const tickMs = 10
const quotaWindowMs = 61_000

/** Creates loads that never request the same uncached page twice. Compares bodies across all loads. */
export const createLoads = (credentials: Credentials): LoadMaker => {
  const bodies = new Map<string, string>()
  let counted: number[] = []
  let next = 0

  const isOther = (path: string, { outcome, body }: Answer): boolean => {
    if (outcome !== 'ok' && outcome !== 'stale') return false
    const known = bodies.get(path)
    if (known === undefined) bodies.set(path, body)
    return known !== undefined && known !== body
  }

  const send = async (agent: Agent, { ports, triesOther }: Route, n: number): Promise<Observation> => {
    const [kind, question] = [getKind(n), getQuestion(n, credentials)]
    const sentAt = performance.now()
    if (isCounted(kind)) counted.push(sentAt)
    const port = (instance: number) => ports[instance % ports.length] as number
    let answer = await ask(agent, port(getInstance(n)), question)
    if (triesOther && mayRepeat(question, answer.outcome))
      answer = await ask(agent, port(getInstance(n) + 1), question)
    const outcome = hasOneBody(kind) && isOther(question.path, answer) ? 'another body' : answer.outcome
    return { kind, sentAt, ms: performance.now() - sentAt, outcome, isFromRedis: answer.isFromRedis }
  }

  const start = (route: Route): Load => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1_000 })
    const sent: Promise<Observation>[] = []
    const startedAt = performance.now()
    const timer = setInterval(() => {
      const due = ((performance.now() - startedAt) / 1000) * perSecond
      while (sent.length < due) {
        sent.push(send(agent, route, next))
        next += 1
      }
    }, tickMs)
    return {
      async stop() {
        clearInterval(timer)
        const observations = await Promise.all(sent)
        agent.destroy()
        return observations
      },
    }
  }

  const countedLately = () => {
    const since = performance.now() - quotaWindowMs
    counted = counted.filter((sentAt) => sentAt >= since)
    return counted.length
  }
  const askCounted = (agent: Agent, port: number, question: Question) => {
    counted.push(performance.now())
    return ask(agent, port, question)
  }
  return { start, askCounted, countedLately }
}
