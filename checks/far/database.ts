import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../freshness/postgres.ts'
import { send } from '../freshness/readers.ts'
import { openStage, type Stage } from '../freshness/stage.ts'
import { load, quantile } from '../overload/load.ts'
import { type DistanceAside, openDistanceAside } from './aside.ts'
import { getAddress } from './proxy.ts'

/** Two instances of the freshness check, far from their primary. Redis and the standby are near. */
export type FarDatabase = {
  stage: Stage
  /** The distance between the instances and the primary. */
  distance: DistanceAside
  /** Counts page statements of the first instance to primary and standby since the last call. */
  takeFills(): Promise<{ fills: number; fromStandby: number }>
  close(): Promise<void>
}

const getInstance = ({ instances }: Stage) => instances[0] as Stage['instances'][number]

/** At this distance one connection answers fewer than seven pages per second. */
const databasePool = 60

/** `hasStandby` adds a standby that receives the primary's log over the same distance. */
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

/** Counts the round trips for pages, and the connections that read data. Polls use another application name. */
const countReads = async ({ distance }: FarDatabase) => {
  const reading = (await distance.passages()).filter(({ first }) =>
    first.includes('application_name\0certdata\0'),
  )
  const turns = reading.reduce((total, { pageTurns }) => total + pageTurns, 0)
  return { turns, connections: reading.length }
}

/** The duration of a poll. */
const longestPauseMs = 150

let asked = 0

/** Requests a page that was never requested before. Returns milliseconds. Throws if the status is not 200. */
const askUncached = async (far: FarDatabase, authorization: string): Promise<number> => {
  asked += 1
  const path = `/v1/products?limit=50&name[ne]=${asked}`
  const startedAt = performance.now()
  const { status } = await send('GET', getInstance(far.stage).port, path, { authorization })
  if (status !== 200) throw new Error(`${path}: ${status}`)
  return performance.now() - startedAt
}

export type Uncached = { p50Ms: number; turnsPerPage: number; newConnections: number }

/** Requests uncached pages one after another, at random moments. */
export const measureUncached = async (far: FarDatabase, count: number): Promise<Uncached> => {
  const authorization = getAuthorization(far)
  const before = await countReads(far)
  const times: number[] = []
  for (let n = 0; n < count; n += 1) {
    // Avoids synchronizing with the polls.
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

/** Requests one cached page at a constant rate. */
export const measureCached = async (far: FarDatabase, seconds: number): Promise<Cached> => {
  const authorization = getAuthorization(far)
  const request = () => ({ path: '/v1/products?limit=10', authorization })
  const { port } = getInstance(far.stage)
  await load({ port, seconds: 1, request, pace: { clients: 4 } })
  const { times } = await load({ port, seconds, request, pace: { perSecond: 200 } })
  const all = times['200'] ?? []
  return { p50Ms: quantile(all, 0.5), p99Ms: quantile(all, 0.99) }
}

/** Changes records of another customer at this rate, until the returned function is called. */
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
