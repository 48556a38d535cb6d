import { join } from 'node:path'
import pg from 'pg'
import { type CertificateFiles, makeCertificate } from './certificate.ts'
import { startPostgres } from './postgres.ts'
import { freePort, type Server, type Started, startRedis, startService } from './processes.ts'
import type { Customer, logIn, prepareSchema, seedCustomers } from './seed.ts'
import * as ownSeed from './seed.ts'

/** A checkout of the service, with the code that prepares its database. */
export type Release = Readonly<{
  checkout: string
  seed: Readonly<{
    secretKey: string
    prepareSchema: typeof prepareSchema
    seedCustomers: typeof seedCustomers
    logIn: typeof logIn
  }>
}>

const ownRelease: Release = { checkout: join(import.meta.dirname, '../..'), seed: ownSeed }

/** Services on one seeded database, and tokens for them. */
export type World = {
  /** Has a memory cache only. */
  service: Server
  /** The same service over TLS. `undefined` unless requested. */
  tls: { service: Server; files: CertificateFiles } | undefined
  /** Has Redis and no memory cache. `undefined` unless requested, or if Redis is not installed. */
  redis: { service: Server; store: Server } | undefined
  database: Started
  /** The customer of the single scenarios. */
  customer: Customer
  /** Every service accepts it. */
  token: string
  /** The customers of the mixed scenario. */
  crowd: readonly { customerId: string; token: string }[]
  /** Changes one record of a customer, as the operator's system would. */
  write(customerId: string): Promise<void>
  /** Logs in a customer of the crowd with its API key. */
  logIn(customerId: string): Promise<string>
  close(): Promise<void>
}

export type WorldOptions = {
  certificates: number
  crowdSize: number
  say: (line: string) => void
  /** Also starts the services over TLS and with Redis. */
  isWhole?: boolean
  execArgv?: readonly string[]
  /** Defaults to this checkout. */
  release?: Release | undefined
}

const certificatesOfCrowd = 200

/** Starts everything, logs the versions, and seeds the database. */
export const createWorld = async ({
  certificates,
  crowdSize,
  say,
  isWhole = false,
  execArgv = [],
  release = ownRelease,
}: WorldOptions): Promise<World> => {
  const { checkout, seed } = release
  const { logIn, prepareSchema, seedCustomers, secretKey } = seed
  const started: Started[] = []
  const close = async () => {
    for (const each of started.reverse()) await each.stop()
  }
  try {
    const database = await startPostgres()
    started.push(database)
    const store = isWhole ? await startRedis() : undefined
    if (store) started.push(store)
    say(`Database: ${database.label}.`)
    if (isWhole) say(`Redis: ${store?.label ?? 'not installed, its scenarios are left out'}`)
    await prepareSchema(database.url)
    say(`Seeding ${certificates} certificates, and ${crowdSize} customers with ${certificatesOfCrowd} each`)
    const [customer] = (await seedCustomers(database.url, ['bench'], certificates)) as [Customer]
    const names = Array.from({ length: crowdSize }, (_, index) => `crowd-${index}`)
    const crowdKeys = await seedCustomers(database.url, names, certificatesOfCrowd)

    const publicUrl = `http://127.0.0.1:${await freePort()}`
    const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey, PUBLIC_URL: publicUrl }
    const start = async (more: Readonly<Record<string, string>>) => {
      const service = await startService({ ...env, ...more }, execArgv, checkout)
      started.push(service)
      return service
    }
    const service = await start({})
    const certificate = isWhole ? makeCertificate() : undefined
    if (certificate) started.push({ url: '', label: 'certificate', stop: certificate.remove })
    const files = certificate?.files
    const tls = files && {
      files,
      service: await start({ TLS_CERT: files.certFile, TLS_KEY: files.keyFile }),
    }
    const redis = store && { store, service: await start({ REDIS_URL: store.url, CACHE_BYTES: '0' }) }

    const pool = new pg.Pool({ connectionString: database.url, max: 4 })
    started.push({ url: '', label: 'writers', stop: () => pool.end() })
    const crowd = []
    for (const each of crowdKeys) {
      crowd.push({ customerId: each.customerId, token: await logIn(service.url, each) })
    }
    return {
      service,
      tls,
      redis,
      database,
      customer,
      crowd,
      close,
      token: await logIn(service.url, customer),
      logIn: (customerId) => {
        const each = crowdKeys.find((customer) => customer.customerId === customerId)
        if (!each) throw new Error(`${customerId} is not in the crowd`)
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
