import { Agent } from 'node:http'
import { secretKey, until } from '../../test/helper.ts'
import { freePort, type TestRedis, testRedis } from '../../test/servers.ts'
import { type Service, startService, untilReady } from '../../test/service.ts'
import { createProxy, type DelayProxy } from '../freshness/proxy.ts'
import { type Database, openDatabase } from './database.ts'
import { createLoads, type LoadMaker } from './load.ts'
import { knownQuestions } from './mix.ts'

/** Two instances of the service, their PostgreSQL, and their Redis behind a proxy. */
export type Stage = {
  database: Database
  /** Replaced when Redis is restarted. */
  redis: TestRedis
  redisProxy: DelayProxy
  services: Service[]
  loads: LoadMaker
  headers: Readonly<Record<string, string>>
  startRedis(): Promise<void>
  startInstance(index: number): Promise<void>
  /** Restarts Redis and both instances with empty caches. */
  renew(): Promise<void>
  /** Resolves when both instances are ready and find each other's answers in Redis. */
  untilWhole(): Promise<void>
  close(): Promise<void>
}

/** Short, so that the check can wait until stale answers are too old. */
export const staleMaxSeconds = 10

type Answered = { access_token: string; page: { next_token: string } }

export const logIn = async (service: Service, apiKey: string): Promise<Record<string, string>> => {
  const authorization = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`
  const answer = await fetch(`${service.base}/v1/auth/login`, { method: 'POST', headers: { authorization } })
  return { authorization: `Bearer ${((await answer.json()) as Answered).access_token}` }
}

const startRedis = async (port?: number): Promise<TestRedis> => {
  const redis = await testRedis(port)
  if (!redis) throw new Error('redis-server is not installed')
  return redis
}

/** Fills the memory of both instances with the repeated requests of the load. */
const warm = async ({ services, loads }: Pick<Stage, 'services' | 'loads'>, token: string) => {
  const agent = new Agent({ keepAlive: true })
  for (const { port } of services)
    for (const question of knownQuestions(token)) await loads.askCounted(agent, port, question)
  agent.destroy()
}

/** Requests a new page from one instance, then from the other. */
const createProbe = ({ services, headers, loads }: Pick<Stage, 'services' | 'headers' | 'loads'>) => {
  const agent = new Agent()
  let asked = 0
  return async (): Promise<boolean> => {
    for (const [first, second] of [services, services.toReversed()] as [Service, Service][]) {
      asked += 1
      const path = `/v1/certificates?limit=1&number%5Bne%5D=probe${asked}`
      const question = { method: 'GET', path, headers } as const
      await loads.askCounted(agent, first.port, question)
      const { outcome, isFromRedis } = await loads.askCounted(agent, second.port, question)
      if (outcome !== 'ok' || !isFromRedis) return false
    }
    return true
  }
}

/** The caller closes the stage. */
export const openStage = async (): Promise<Stage> => {
  const closing: (() => unknown)[] = []
  const close = async () => {
    for (const each of closing.reverse()) await each()
  }
  try {
    const database = await openDatabase()
    closing.push(() => database.close())
    const redis = await startRedis()
    const redisProxy = await createProxy(redis.port)
    closing.push(
      () => stage.redis.stop(),
      () => redisProxy.close(),
    )
    const ports = [await freePort(), await freePort()]
    const start = async (index: number) => {
      const service = await startService({
        PORT: String(ports[index]),
        PUBLIC_URL: 'http://localhost:1',
        DATABASE_URL: database.url,
        REDIS_URL: `redis://127.0.0.1:${redisProxy.port}`,
        SECRET_KEY: secretKey,
        STALE_MAX_SECONDS: String(staleMaxSeconds),
        DRAIN_SECONDS: '0',
        LOG_LEVEL: 'warn',
      })
      await untilReady(service)
      return service
    }
    const services = await Promise.all([0, 1].map(start))
    closing.push(() => Promise.all(services.map((service) => service.stop('SIGKILL'))))
    const headers = await logIn(services[0] as Service, database.apiKeys[0] as string)
    const changes = await fetch(`${services[0]?.base}/v1/changes?resources=projects`, { headers })
    const syncToken = ((await changes.json()) as Answered).page.next_token
    const token = headers.authorization?.slice('Bearer '.length) ?? ''
    const loads = createLoads({ token, apiKeys: database.apiKeys, syncToken })
    const isWhole = createProbe({ services, headers, loads })
    const stage: Stage = {
      database,
      redis,
      redisProxy,
      services,
      headers,
      loads,
      close,
      async startRedis() {
        stage.redis = await startRedis(redis.port)
      },
      async startInstance(index) {
        services[index] = await start(index)
      },
      async renew() {
        await Promise.all(services.map((service) => service.stop('SIGKILL')))
        await stage.redis.stop()
        await stage.startRedis()
        await Promise.all([0, 1].map(stage.startInstance))
      },
      async untilWhole() {
        await Promise.all(services.map(untilReady))
        await until("each instance finds the other one's answers in Redis", isWhole, 20_000)
        await warm(stage, token)
      },
    }
    return stage
  } catch (error) {
    await close()
    throw error
  }
}
