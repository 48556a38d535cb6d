import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { jsonType } from '../../http/formats.ts'
import {
  CannotVerify,
  type Credentials,
  describeCause,
  openAccount,
  readPublicUrl,
  requireAnswers,
} from './account.ts'
import { type LatencyRun, leastReads, type Sample, toFigures } from './latency-figures.ts'
import { type Quota, readQuotas } from './quotas.ts'
import { readResources } from './resources.ts'
import { type Ask, createSender, readJson, type Send, type ServiceAnswer } from './service.ts'

type LatencyRequest = Readonly<{
  origin: string
  credentials: Credentials
  /** Reads a second. `undefined`: five, or half of the quota if that is less. */
  rate: number | undefined
  seconds: number
}>

const usualRate = 5
/** Half of the logins that a key has in a minute. */
const loginIntervalMs = 2_000
/** More of them are requests that wait for each other. */
const connections = 32

/** Before every record. One instant for each millisecond until then gives 946 billion different questions. */
const firstRecordsMs = Date.parse('2000-01-01')

type Work = Readonly<{ intervalMs: number; count: number; ask: () => Ask }>

const describeRefusal = (answer: ServiceAnswer): string =>
  ['status', answer.status, readJson(answer, '/code') ?? ''].join(' ').trimEnd()

/**
 * Sends requests at fixed times, whether earlier ones were answered or not. Each time counts from the planned start, so
 * a service that stalls makes all requests of that time late.
 */
const measure = async (send: Send, { intervalMs, count, ask }: Work): Promise<Sample[]> => {
  const beganAt = performance.now()
  const sendOne = async (startMs: number): Promise<Sample> => {
    await delay(Math.max(0, startMs + beganAt - performance.now()))
    try {
      const answer = await send(ask())
      if (answer.status !== 200) return { failure: describeRefusal(answer) }
      return { ms: performance.now() - beganAt - startMs }
    } catch (error) {
      return { failure: describeCause(error) }
    }
  }
  return Promise.all(Array.from({ length: count }, (_, index) => sendOne(index * intervalMs)))
}

/** Reads a second that use half of a quota. */
const findLimit = (quotas: readonly Quota[]): number =>
  Math.min(...quotas.map(({ quota, windowSeconds }) => quota / 2 / windowSeconds))

const requireRate = (rate: number | undefined, limit: number): number => {
  if (rate === undefined) return Math.min(usualRate, limit)
  if (rate <= limit) return rate
  throw new CannotVerify(
    `${rate} reads a second would use more than half of the quota of this key: --rate may be ${Math.floor(limit * 100) / 100} at most`,
  )
}

const requireReads = (rate: number, seconds: number): number => {
  const count = Math.floor((seconds * rate) / 2)
  if (count >= leastReads) return count
  throw new CannotVerify(
    `${seconds} s at ${rate} reads a second are ${count} reads of each kind, and ${leastReads} are needed: give --seconds ${Math.ceil((2 * leastReads) / rate)} or more`,
  )
}

/** Every list has this filter, and every record matches it. */
const uncachedAsk = (list: string, token: string): Ask => ({
  path: `${list}?limit=50&updated_at[gt]=${new Date(randomInt(firstRecordsMs)).toISOString()}`,
  token,
})

/** Reads a page once before the measurement. Throws CannotVerify if it is refused. */
const requirePage = async (send: Send, ask: Ask): Promise<ServiceAnswer> => {
  const answer = await send(ask)
  if (answer.status === 200) return answer
  throw new CannotVerify(
    `GET ${ask.path} is refused with ${describeRefusal(answer)}: ${readJson(answer, '/detail') ?? 'no reason given'}`,
  )
}

/**
 * Measures cached and uncached pages, in equal numbers, and logins, which a demo token does not have. Throws
 * CannotVerify if the service or the account cannot be used, if the rate needs more than half of a quota, or if the
 * time is too short for ten reads of each kind.
 */
export const measureLatency = async (options: LatencyRequest): Promise<LatencyRun> => {
  const { origin, credentials, seconds } = options
  const { send, close } = createSender(origin, connections)
  try {
    await readPublicUrl(send, origin)
    const lists = (await readResources(send, origin)).map(({ name }) => name)
    const account = await requireAnswers(origin, openAccount(send, credentials, lists))
    const { token, values } = account
    if (!values.list) throw new CannotVerify('The customer has no list with two records to read')
    const cachedAsk = { path: `${values.list}?limit=50`, token }
    const first = await requireAnswers(origin, requirePage(send, cachedAsk))
    await requireAnswers(origin, requirePage(send, uncachedAsk(values.list, token)))
    const rate = requireRate(options.rate, findLimit(readQuotas(first.headers)))
    const intervalMs = 2_000 / rate
    const count = requireReads(rate, seconds)
    const list = values.list
    const body = 'apiKey' in credentials ? JSON.stringify({ api_key: credentials.apiKey }) : ''
    const loginAsk = { path: '/v1/auth/login', method: 'POST', headers: { 'content-type': jsonType }, body }
    const logins = account.isDemo ? 0 : Math.max(1, Math.floor((seconds * 1_000) / loginIntervalMs))
    const at = new Date().toISOString()
    const [cached, uncached, login] = await Promise.all([
      measure(send, { intervalMs, count, ask: () => cachedAsk }),
      measure(send, { intervalMs, count, ask: () => uncachedAsk(list, token) }),
      measure(send, { intervalMs: loginIntervalMs, count: logins, ask: () => loginAsk }),
    ])
    const figures = { cached: toFigures(cached), uncached: toFigures(uncached) }
    return {
      url: origin,
      at,
      rate,
      seconds,
      figures: account.isDemo ? figures : { ...figures, login: toFigures(login) },
    }
  } finally {
    close()
  }
}
