import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import pg from 'pg'
import { createSecrets } from '../../app/config/secrets.ts'
import { migrate } from '../../app/db/migrate.ts'
import { createTokenCodec } from '../../app/features/feed/token.ts'
import { ensureSigningKeys } from '../../app/identity/key-rotation.ts'
import { run } from '../../test/command-line.ts'
import { addCustomer, connectOwner, secretKey } from '../../test/helper.ts'
import { freePort, type TestRedis, testRedis } from '../../test/servers.ts'
import { type Service, startService, untilReady } from '../../test/service.ts'
import { type PostgresServer, startPostgres } from '../freshness/postgres.ts'
import type { Hook } from './hook.ts'
import { getUrl, startReceivers } from './receivers.ts'

/** Two instances of the service with their PostgreSQL, their Redis and receivers. */
export type Stage = {
  server: PostgresServer
  url: string
  redis: TestRedis
  services: Service[]
  /** The owner's connections, which survive a restart of the database. */
  owner: pg.Pool
  startInstance(index: number): Promise<void>
  /** Creates a customer with a webhook whose receiver accepts everything. */
  addHook(): Promise<Hook>
  close(): Promise<void>
}

const name = 'webhooks'
const secrets = createSecrets([secretKey])
const tokens = createTokenCodec(secrets)

const prepare = async (url: string): Promise<void> => {
  const db = connectOwner({ url })
  await migrate(db)
  await ensureSigningKeys(db, secrets)
  await db.destroy()
}

/** The caller closes the stage. */
export const openStage = async (): Promise<Stage> => {
  const closing: (() => unknown)[] = []
  const close = async () => {
    for (const each of closing.reverse()) await each()
  }
  try {
    const server = await startPostgres()
    closing.push(() => server.stop())
    const first = new pg.Client({ connectionString: server.url('postgres') })
    await first.connect()
    await first.query(`create database ${name}`)
    await first.end()
    const url = server.url(name)
    await prepare(url)
    const owner = new pg.Pool({ connectionString: url, max: 8 })
    owner.on('error', () => {})
    closing.push(() => owner.end())
    const redis = await testRedis()
    if (!redis) throw new Error('redis-server is not installed')
    closing.push(() => stage.redis.stop())
    const receivers = await startReceivers()
    closing.push(receivers.close)
    const ports = [await freePort(), await freePort()]
    const start = async (index: number): Promise<Service> => {
      const env = {
        PORT: String(ports[index]),
        PUBLIC_URL: 'http://localhost:1',
        DATABASE_URL: url,
        REDIS_URL: redis.url,
        SECRET_KEY: secretKey,
        DRAIN_SECONDS: '0',
        LOG_LEVEL: 'warn',
        HOOKS_PORT: String(receivers.port),
        NODE_EXTRA_CA_CERTS: receivers.ca,
      }
      const preload = join(import.meta.dirname, 'internet.ts')
      const service = await startService(env, { execArgv: ['--import', preload] })
      await untilReady(service)
      return service
    }
    const services = await Promise.all([0, 1].map(start))
    closing.push(() => Promise.all(services.map((service) => service.stop('SIGKILL'))))
    const operator = connectOwner({ url }, 2)
    closing.push(() => operator.destroy())
    let hooks = 0
    // The test message is not part of this check.
    const outbound = async () => ({ status: 204, headers: {}, body: Buffer.alloc(0) })
    const stage: Stage = {
      server,
      url,
      redis,
      services,
      owner,
      close,
      async startInstance(index) {
        services[index] = await start(index)
      },
      async addHook() {
        hooks += 1
        const customer = `customer-${hooks}`
        const apiKey = await addCustomer({ operator }, customer)
        const receiver = receivers.open(customer)
        const words = ['webhooks', 'add', customer, getUrl(customer), '--resources', 'products', '--json']
        const env = { DATABASE_URL: url, SECRET_KEY: secretKey }
        const { stdout, stderr, code } = await run(words, { env, outbound })
        if (code !== 0) throw new Error(stderr)
        const { webhook_id: id } = JSON.parse(stdout) as { webhook_id: string }
        const decode = (token: string) => tokens.decode(customer, token)?.base
        return { id, customer, apiKey, receiver, decode, changes: [] }
      },
    }
    return stage
  } catch (error) {
    await close()
    throw error
  }
}

/** Adds a record and notes when its commit was acknowledged. Retries while the database is unreachable. */
export const addRecord = async ({ owner }: Stage, hook: Hook, id: string): Promise<void> => {
  const { rows } = await owner.query(
    'insert into products (customer_id, id, name) values ($1, $2, $2) returning pg_current_xact_id()::text as xid',
    [hook.customer, id],
  )
  hook.changes.push({ xid: Number(rows[0].xid), committedAtMs: performance.now() })
}
