import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { jsonType } from '../../http/formats.ts'
import { CannotVerify, type Credentials, openAccount, readPublicUrl, requireAnswers } from './account.ts'
import { type LatencyRun, type Sample, toFigures } from './latency-figures.ts'
import { type Quota, readQuotas } from './quotas.ts'
import { readResources } from './resources.ts'
import { type Ask, createSender, type Send } from './service.ts'

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

type Work = Readonly<{ intervalMs: number; count: number; ask: () => Ask }>

/**
 * Sends requests at fixed times, whether earlier ones were answered or not. Each time counts from the planned start, so
 * a service that stalls makes all requests of that time late.
 */
const measure = async (send: Send, { intervalMs, count, ask }: Work): Promise<Sample[]> => {
  const beganAt = performance.now()
  const sendOne = async (startMs: number): Promise<Sample> => {
    await delay(startMs + beganAt - performance.now())
    const answer = await send(ask()).catch(() => undefined)
    return answer?.status === 200 ? performance.now() - beganAt - startMs : undefined
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

const uncachedAsk = (list: string, token: string): Ask => ({
  path: `${list}?limit=50&id[ne]=latency-${randomUUID()}`,
  token,
})

/**
 * Measures cached and uncached pages, in equal numbers, and logins, which a demo token does not have. Throws
 * CannotVerify if the service or the account cannot be used, or if the rate needs more than half of a quota.
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
    const [first] = [await send(cachedAsk), await send(uncachedAsk(values.list, token))]
    const rate = requireRate(options.rate, findLimit(readQuotas(first.headers)))
    const intervalMs = 2_000 / rate
    const count = Math.max(1, Math.round((seconds * rate) / 2))
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
