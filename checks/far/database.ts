import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../freshness/postgres.ts'
import { send } from '../freshness/readers.ts'
import { openStage, type Stage } from '../freshness/stage.ts'
import { load, quantile } from '../overload/load.ts'
import { type DistanceAside, openDistanceAside } from './aside.ts'
import { getAddress } from './proxy.ts'

/** Two instances of the freshness check, far from their primary. Redis is near, and so is the standby. */
export type FarDatabase = {
  stage: Stage
  /** Between the instances and the primary. */
  distance: DistanceAside
  /** Statements of pages that the first instance has sent to the primary and to the standby since the last call. */
  takeFills(): Promise<{ fills: number; fromStandby: number }>
  close(): Promise<void>
}

const getInstance = ({ instances }: Stage) => instances[0] as Stage['instances'][number]

/** From so far away a connection answers fewer than seven pages a second. */
const databasePool = 60

/** Opens everything. `hasStandby`: a standby that receives the primary's log over the same distance. */
export const openFarDatabase = async (oneWayMs: number, hasStandby: boolean): Promise<FarDatabase> => {
  const closing: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const each of closing.reverse()) await each()
  }
  try {
    const postgres = await startPostgres()
    closing.push(() => postgres.stop())
    const { to } = getAddress(postgres.url('postgres'))
    const open = async () => {
      const distance = await openDistanceAside(to, oneWayMs)
      closing.push(() => distance.close())
      return distance
    }
    const distance = await open()
    let standby: PostgresServer | undefined
    if (hasStandby) {
      standby = await postgres.createStandby((await open()).port)
      closing.push(async () => standby?.stop())
    }
    const reach = (url: string) => getAddress(url).reach(distance.port)
    const stage = await openStage({ postgres, reach, databasePool, ...(standby ? { standby } : {}) })
    closing.push(() => stage.close())
    return { stage, distance, takeFills: async () => getInstance(stage).takeCounters(), close }
  } catch (error) {
    await close()
    throw error
  }
}

const customer = 'alpha'
const getAuthorization = ({ stage }: FarDatabase) => `Bearer ${stage.getToken(customer)}`

/** Round trips that ask for pages, and how many connections read data. Polls' connections have another name. */
const countReads = async ({ distance }: FarDatabase) => {
  const reading = (await distance.passages()).filter(({ first }) =>
    first.includes('application_name\0certdata\0'),
  )
  const turns = reading.reduce((total, { pageTurns }) => total + pageTurns, 0)
  return { turns, connections: reading.length }
}

/** As long as a poll takes. */
const longestPauseMs = 150

let asked = 0

/** Asks for a page that nobody asked for before; returns the milliseconds. Throws unless it is 200. */
const askUncached = async (far: FarDatabase, authorization: string): Promise<number> => {
  asked += 1
  const path = `/v1/products?limit=50&name[ne]=${asked}`
  const startedAt = performance.now()
  const { status } = await send('GET', getInstance(far.stage).port, path, { authorization })
  if (status !== 200) throw new Error(`${path}: ${status}`)
  return performance.now() - startedAt
}

export type Uncached = { p50Ms: number; turnsPerPage: number; newConnections: number }

/** Asks for this many uncached pages, one after the other, at random moments. */
export const measureUncached = async (far: FarDatabase, count: number): Promise<Uncached> => {
  const authorization = getAuthorization(far)
  const before = await countReads(far)
  const times: number[] = []
  for (let n = 0; n < count; n += 1) {
    // Not in step with the polls.
    await delay(Math.random() * longestPauseMs)
    times.push(await askUncached(far, authorization))
  }
  const after = await countReads(far)
  times.sort((a, b) => a - b)
  return {
    p50Ms: quantile(times, 0.5),
    turnsPerPage: (after.turns - before.turns) / count,
    newConnections: after.connections - before.connections,
  }
}

export type Cached = { p50Ms: number; p99Ms: number }

/** Asks for one cached page at a constant rate. */
export const measureCached = async (far: FarDatabase, seconds: number): Promise<Cached> => {
  const authorization = getAuthorization(far)
  const request = () => ({ path: '/v1/products?limit=10', authorization })
  const { port } = getInstance(far.stage)
  await load({ port, seconds: 1, request, pace: { clients: 4 } })
  const { times } = await load({ port, seconds, request, pace: { perSecond: 200 } })
  const all = times['200'] ?? []
  return { p50Ms: quantile(all, 0.5), p99Ms: quantile(all, 0.99) }
}

/** Changes records of another customer, so many a second, until the returned function is called. */
export const startWriting = ({ stage }: FarDatabase, perSecond: number): (() => void) => {
  let count = 0
  const timer = setInterval(() => {
    count += 1
    stage.operator
      .query(`update products set model = $1 where customer_id = 'beta' and id = 'beta-p00'`, [
        `beta#${count}`,
      ])
      .catch(() => {})
  }, 1000 / perSecond)
  return () => clearInterval(timer)
}
