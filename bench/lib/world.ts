import pg from 'pg'
import { freePort, type Server, type Started, startPostgres, startRedis, startService } from './processes.ts'
import { type Customer, logIn, prepareSchema, secretKey, seedCustomers } from './seed.ts'

/** All that scenarios ask: services on one seeded database, and tokens. */
export type World = {
  /** Memory cache only. */
  service: Server
  /** Redis and no memory cache; undefined where there is no Redis. */
  redisService: Server | undefined
  database: Started
  redis: Started | undefined
  /** Of the customer that the single scenarios ask for. */
  customer: Customer
  token: string
  redisToken: string | undefined
  /** Of the many that the mixed scenario asks for, with their names. */
  crowd: readonly { customerId: string; token: string }[]
  /** The operator's system: changes one record of a customer. */
  write(customerId: string): Promise<void>
  /** One of the crowd, by its key. */
  logIn(customerId: string): Promise<string>
  close(): Promise<void>
}

export type WorldOptions = {
  certificates: number
  crowdSize: number
  say: (line: string) => void
  execArgv?: readonly string[]
}

const certificatesOfCrowd = 200

/** Starts everything, says with what, and seeds it. */
export const createWorld = async ({
  certificates,
  crowdSize,
  say,
  execArgv = [],
}: WorldOptions): Promise<World> => {
  const started: Started[] = []
  const close = async () => {
    for (const each of started.reverse()) await each.stop()
  }
  try {
    const database = await startPostgres()
    started.push(database)
    const redis = await startRedis()
    if (redis) started.push(redis)
    say(
      `Database: ${database.label}. Redis: ${redis?.label ?? 'none is installed, its scenarios are left out'}`,
    )
    await prepareSchema(database.url)
    say(`Seeding ${certificates} certificates, and ${crowdSize} customers with ${certificatesOfCrowd} each`)
    const [customer] = (await seedCustomers(database.url, ['bench'], certificates)) as [Customer]
    const names = Array.from({ length: crowdSize }, (_, index) => `crowd-${index}`)
    const crowdKeys = await seedCustomers(database.url, names, certificatesOfCrowd)

    const publicUrl = `http://127.0.0.1:${await freePort()}`
    const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey, PUBLIC_URL: publicUrl }
    const service = await startService(env, execArgv)
    started.push(service)
    const redisService =
      redis && (await startService({ ...env, REDIS_URL: redis.url, CACHE_BYTES: '0' }, execArgv))
    if (redisService) started.push(redisService)

    const pool = new pg.Pool({ connectionString: database.url, max: 4 })
    started.push({ url: '', label: 'writers', stop: () => pool.end() })
    const crowd = []
    for (const each of crowdKeys) {
      crowd.push({ customerId: each.customerId, token: await logIn(service.url, each) })
    }
    return {
      ...{ service, redisService, database, redis, customer, crowd, close },
      token: await logIn(service.url, customer),
      redisToken: redisService && (await logIn(redisService.url, customer)),
      logIn: (customerId) => {
        const each = crowdKeys.find((customer) => customer.customerId === customerId)
        if (!each) throw new Error(`${customerId} is not of the crowd`)
        return logIn(service.url, each)
      },
      write: async (customerId) => {
        await pool.query(
          `update certificates set title = title || '.' where customer_id = $1 and id = 'crt-' || 1 + floor(random() * 200)`,
          [customerId],
        )
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
