import pg from 'pg'
import { createSecrets } from '../../app/config/secrets.ts'
import { createDb, createPool, operatorRole } from '../../app/db/connect.ts'
import { migrate } from '../../app/db/migrate.ts'
import { createApiKey } from '../../app/identity/api-keys.ts'
import { ensureSigningKeys } from '../../app/identity/key-rotation.ts'
import { publicUrl, secretKey } from '../../test/helper.ts'
import { type TestRedis, testRedis } from '../../test/servers.ts'
import type { Fault } from './faults.ts'
import { type Instance, startInstance } from './instances.ts'
import type { Victims } from './nemesis.ts'
import type { PostgresServer } from './postgres.ts'
import { createProxy, type DelayProxy } from './proxy.ts'
import { send } from './readers.ts'
import { seed } from './seed.ts'
import { resetPaths, sessions, temporaryTables } from './sessions.ts'
import { customers } from './world.ts'
import { createWriters, type Writers } from './writers.ts'

export type StageOptions = {
  postgres: PostgresServer
  /** Answers reads when possible. */
  standby?: PostgresServer
  /** Returns the URL by which instances reach a database of the server. Defaults to the database's URL. */
  reach?: (url: string) => string
  /** Number of connections of each instance that read data. Defaults to the service's default. */
  databasePool?: number
  withoutRedis?: true
  /** Omits the proxies to Redis, which a busy checker could slow down. */
  withoutProxies?: true
  fault?: Fault | undefined
  /** Only the second instance has the fault. */
  isFaultOfOne?: true
}

export type Stage = {
  instances: Instance[]
  writers: Writers
  operator: pg.Pool
  victims: Victims
  redisUrl: string | undefined
  standbyUrl?: string | undefined
  getToken(customer: string): string
  /** Creates a new key of the customer, and a token from it. */
  logIn(customer: string, instance: Instance): Promise<{ keyId: string; token: string }>
  close(): Promise<void>
}

const template = 'freshness_template'
const instanceCount = 2
const tokensPerCustomer = 2
const ignore = () => {}

const connect = (url: string, role: string | undefined, max: number) =>
  createPool(url, {
    ...(role ? { role } : {}),
    max,
    applicationName: 'freshness',
    onError: ignore,
    statementTimeoutMs: 0,
  })

/** Creates the template database for each run's database. */
const makeTemplate = async (postgres: PostgresServer) => {
  const pool = connect(postgres.url(template), undefined, 1)
  const db = createDb(pool)
  await migrate(db)
  await ensureSigningKeys(db, createSecrets([secretKey]))
  const operator = connect(postgres.url(template), operatorRole, 1)
  await seed(operator)
  await operator.end()
  await db.destroy()
}

let databases = 0

const createDatabase = async (postgres: PostgresServer): Promise<string> => {
  const owner = new pg.Client({ connectionString: postgres.url('postgres') })
  await owner.connect()
  try {
    const { rowCount } = await owner.query('select from pg_database where datname = $1', [template])
    if (rowCount === 0) {
      await owner.query(`create database ${template}`)
      await makeTemplate(postgres)
    }
    const name = `freshness_${process.pid}_${++databases}`
    await owner.query(`create database ${name} template ${template}`)
    return name
  } finally {
    await owner.end()
  }
}

const waitForStandby = async (url: string) => {
  const deadline = Date.now() + 20_000
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', ignore)
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}

const addKey = async (operator: pg.Pool, customer: string) => {
  const { apiKey, keyId, secretSha256 } = createApiKey()
  await operator.query('insert into api_keys (customer_id, key_id, secret_sha256) values ($1, $2, $3)', [
    customer,
    keyId,
    secretSha256,
  ])
  return { apiKey, keyId }
}

const fetchToken = async ({ port }: Instance, apiKey: string): Promise<string> => {
  const authorization = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`
  const { status, body } = await send('POST', port, '/v1/auth/login', { authorization })
  if (status !== 200) throw new Error(`no login: ${status} ${body}`)
  return (JSON.parse(body.toString()) as { access_token: string }).access_token
}

const openLogins = async (
  operator: pg.Pool,
  instances: readonly Instance[],
): Promise<Pick<Stage, 'logIn' | 'getToken'>> => {
  const logIn: Stage['logIn'] = async (customer, instance) => {
    const { apiKey, keyId } = await addKey(operator, customer)
    return { keyId, token: await fetchToken(instance, apiKey) }
  }
  const tokens = new Map<string, string[]>()
  for (const customer of customers) {
    const list: string[] = []
    for (let count = 0; count < tokensPerCustomer; count += 1) {
      list.push((await logIn(customer, instances[0] as Instance)).token)
    }
    tokens.set(customer, list)
  }
  const getToken = (customer: string) => {
    const list = tokens.get(customer) ?? []
    return list[Math.floor(Math.random() * list.length)] ?? ''
  }
  return { logIn, getToken: getToken }
}

/**
 * Uses running instances. Their database is migrated and does not contain the run's customers. `ownerUrl` is
 * the primary's URL. This stage cannot be harmed, and closing it does not stop the instances.
 */
export const attachStage = async (ownerUrl: string, instances: Instance[]): Promise<Stage> => {
  const operator = connect(ownerUrl, operatorRole, 20)
  try {
    await seed(operator)
    const logins = await openLogins(operator, instances)
    const writers = createWriters(operator, sessions)
    const victims = { instances, writers } as unknown as Victims
    return {
      instances,
      writers,
      operator,
      victims,
      redisUrl: undefined,
      ...logins,
      close: () => operator.end(),
    }
  } catch (error) {
    await operator.end()
    throw error
  }
}

export const openStage = async ({
  postgres,
  standby,
  reach = (url) => url,
  databasePool,
  withoutRedis,
  withoutProxies,
  fault,
  isFaultOfOne,
}: StageOptions): Promise<Stage> => {
  const closing: (() => unknown)[] = []
  const close = async () => {
    for (const each of closing.reverse()) await each()
  }
  try {
    const name = await createDatabase(postgres)
    const databaseUrl = postgres.url(name)
    const standbyUrl = standby?.url(name)
    if (standbyUrl) await waitForStandby(standbyUrl)
    const operator = connect(databaseUrl, operatorRole, 20)
    const owner = connect(databaseUrl, undefined, 2)
    closing.push(
      () => operator.end(),
      () => owner.end(),
    )
    if (fault === 'trigger-dropped') await owner.query('drop trigger products_log_update on products')
    if (fault === 'session-names') await owner.query(resetPaths)

    const redis = withoutRedis ? undefined : await testRedis()
    const proxies: DelayProxy[] = []
    for (let count = 0; redis && !withoutProxies && count < instanceCount; count += 1) {
      const proxy = await createProxy(redis.port)
      proxies.push(proxy)
      closing.push(() => proxy.close())
    }
    // One session for all, so that a short run finds the fault.
    const writers = createWriters(operator, fault === 'session-names' ? [temporaryTables] : sessions)
    const instances: Instance[] = []
    const victims: Victims = { postgres, owner, redis: redis as TestRedis, proxies, instances, writers }
    closing.push(() => victims.redis?.stop())
    for (let index = 0; index < instanceCount; index += 1) {
      const proxy = proxies[index]
      const redisUrl = proxy ? `redis://127.0.0.1:${proxy.port}` : redis?.url
      const isSound = isFaultOfOne && index === 0
      const options = {
        databaseUrl: reach(databaseUrl),
        databasePool,
        redisUrl,
        standbyUrl,
        publicUrl,
        secretKey,
      }
      const instance = await startInstance(String.fromCharCode(65 + index), {
        ...options,
        fault: isSound ? undefined : fault,
      })
      instances.push(instance)
      closing.push(() => instance.kill())
    }

    const logins = await openLogins(operator, instances)
    return { instances, writers, operator, victims, redisUrl: redis?.url, standbyUrl, ...logins, close }
  } catch (error) {
    await close()
    throw error
  }
}
