import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { createSecrets } from '../../app/config/secrets.ts'
import { createDb, createPool } from '../../app/db/connect.ts'
import { migrate } from '../../app/db/migrate.ts'
import { createApiKey } from '../../app/identity/api-keys.ts'
import { ensureSigningKeys } from '../../app/identity/key-rotation.ts'
import { startHaproxy } from '../../test/haproxy.ts'
import { secretKey, until } from '../../test/helper.ts'
import { freePort } from '../../test/servers.ts'
import { startService, untilReady } from '../../test/service.ts'
import { type Postgres, startPgbouncer, startPrimary, startRedisCluster } from './engines.ts'
import { checkFreshnessOn } from './freshness.ts'

/**
 * Runs the service on the engines of a larger deployment, on one machine. There are two instances behind
 * haproxy, pgbouncer in transaction mode before the primary, a streaming standby, and a Redis Cluster of six
 * nodes. It first walks the main path. Then writers and readers run concurrently, and each answer must show
 * every commit acknowledged 600 ms before the request. Then the freshness checker runs with separate
 * customers. Finally the primary is killed, the standby is promoted, and everything runs again.
 */

const promiseMs = 600
const checkMs = Number(process.env.CHECK_MS ?? 8_000)
const checkerSeconds = Number(process.env.CHECKER_SECONDS ?? 60)
const products = 20
const faults: string[] = []
const print = (text: string) => process.stdout.write(`${text}\n`)
const expect = (holds: boolean, what: string) => {
  print(`${holds ? 'ok    ' : 'NOT OK'} ${what}`)
  if (!holds) faults.push(what)
}

const ignore = () => {}
const prepare = async (primary: Postgres): Promise<string> => {
  const root = new pg.Client({ connectionString: primary.url('postgres', 'postgres') })
  await root.connect()
  await root.query('create database certdata')
  await root.end()
  const pool = createPool(primary.url('postgres'), { max: 2, applicationName: 'check', onError: ignore })
  const db = createDb(pool)
  await migrate(db)
  await ensureSigningKeys(db, createSecrets([secretKey]))
  // Poolers do not forward start-up options, so the login is the serving role itself, and the timeout is the
  // role's.
  await pool.query(
    `alter role certdata_reader login; alter role certdata_reader set statement_timeout = '5s'`,
  )
  await pool.query(`insert into customers (customer_id, name, plan) values ('acme', 'acme', 'enterprise')`)
  await pool.query(
    `insert into products (customer_id, id, name, model) select 'acme', 'p' || n, 'p' || n, '0'
     from generate_series(0, $1::integer - 1) n`,
    [products],
  )
  const { apiKey, keyId, secretSha256 } = createApiKey()
  await pool.query(`insert into api_keys (customer_id, key_id, secret_sha256) values ('acme', $1, $2)`, [
    keyId,
    secretSha256,
  ])
  await db.destroy()
  return apiKey
}

const primary = await startPrimary()
const apiKey = await prepare(primary)
const standby = await primary.createStandby()
const pgbouncer = await startPgbouncer(primary.port)
const redis = await startRedisCluster()
const ports = [await freePort(), await freePort()]
const services = await Promise.all(
  ports.map((port) =>
    startService({
      PORT: String(port),
      PUBLIC_URL: 'http://localhost:1',
      DATABASE_URL: `postgresql://certdata_reader@127.0.0.1:${pgbouncer.port}/certdata`,
      DATABASE_REPLICA_URL: standby.url('certdata_reader'),
      REDIS_URL: redis.url,
      SECRET_KEY: secretKey,
      DATABASE_PREPARED: 'off',
      LIMIT_PREMIUM_BURST: '1000000',
      LIMIT_PREMIUM_MINUTE: '1000000000',
      LIMIT_LOGINS: '1000000',
      LIMIT_ENTERPRISE_BURST: '1000000',
      LIMIT_ENTERPRISE_MINUTE: '1000000000',
      LOG_LEVEL: 'warn',
      METRICS_TOKEN: 'who-measures-has-this',
    }),
  ),
)
for (const service of services) await untilReady(service)
const haproxy = await startHaproxy({ instances: ports, retries: 2 })
await until('haproxy sees both', async () => (await haproxy.countUp()) === 2)
const base = `http://127.0.0.1:${haproxy.port}`
const connectWriter = async (server: Postgres) => {
  const writer = new pg.Client({ connectionString: server.url('postgres') })
  writer.on('error', ignore)
  await writer.connect()
  return writer
}

const logIn = async (): Promise<string> => {
  const answer = await fetch(`${base}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_key: apiKey }),
  })
  if (answer.status !== 200) throw new Error(`no login: ${answer.status}`)
  return ((await answer.json()) as { access_token: string }).access_token
}
let authorization = `Bearer ${await logIn()}`
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(base + path, { headers: { authorization, ...headers } })

type Page = { data: { id: string; model: string }[] }
type Changes = { page: { next_token: string; has_more: boolean }; data: unknown[] }

const checkMainPath = async (writer: pg.Client): Promise<string> => {
  const page = await get('/v1/products?limit=5')
  expect(page.status === 200 && ((await page.json()) as Page).data.length === 5, 'a page')
  expect((await get('/v1/products/p1')).status === 200, 'a record')
  expect((await get('/v1/products/unknown')).status === 404, 'none')
  const first = await get('/v1/products?limit=3')
  const again = await get('/v1/products?limit=3', { 'if-none-match': first.headers.get('etag') ?? '' })
  expect(again.status === 304, '304 from whichever instance')
  const start = (await (await get('/v1/changes')).json()) as Changes
  const waiting = get(`/v1/changes?after=${encodeURIComponent(start.page.next_token)}&wait=10`)
  await delay(200)
  const startedAt = performance.now()
  await writer.query(`update products set name = name || '!' where customer_id = 'acme' and id = 'p1'`)
  const changes = (await (await waiting).json()) as Changes
  const tookMs = performance.now() - startedAt
  expect(changes.data.length === 1 && tookMs < 2_000, `the feed tells of a write (${tookMs.toFixed(0)} ms)`)
  return changes.page.next_token
}

/** A product's counter, and when its commit was acknowledged. */
type Commit = { value: number; at: number }

const checkFreshness = async (writer: pg.Client, what: string) => {
  const commits = new Map<string, Commit[]>()
  const endsAt = performance.now() + checkMs
  const counts = { reads: 0, writes: 0, stale: 0, other: 0 }
  let value = Math.floor(Date.now() / 1000) % 1_000_000_000
  const write = async () => {
    while (performance.now() < endsAt) {
      const id = `p${counts.writes % products}`
      value += 1
      await writer.query(`update products set model = $1 where customer_id = 'acme' and id = $2`, [
        String(value),
        id,
      ])
      const list = commits.get(id) ?? []
      commits.set(id, list)
      list.push({ value, at: performance.now() })
      counts.writes += 1
      await delay(5)
    }
  }
  /** Returns the newest value acknowledged 600 ms before `sentAt`. */
  const getDue = (id: string, sentAt: number): number => {
    const list = commits.get(id) ?? []
    for (let index = list.length - 1; index >= 0; index -= 1) {
      const commit = list[index] as Commit
      if (commit.at <= sentAt - promiseMs) return commit.value
    }
    return 0
  }
  const readOne = async (reader: number) => {
    for (let n = reader; performance.now() < endsAt; n += 1) {
      const id = `p${n % products}`
      const sentAt = performance.now()
      const answer = await get(n % 2 === 0 ? `/v1/products/${id}` : '/v1/products?limit=50')
      const body = (await answer.json()) as { data: Page['data'] | Page['data'][0] }
      counts.reads += 1
      if (answer.status !== 200 || answer.headers.get('cache-status')?.includes('ttl=-')) {
        counts.other += 1
        continue
      }
      for (const row of [body.data].flat()) {
        if (Number(row.model) < getDue(row.id, sentAt)) counts.stale += 1
      }
    }
  }
  await Promise.all([write(), ...[0, 1, 2, 3].map(readOne)])
  expect(
    counts.stale === 0 && counts.other === 0 && counts.reads > 50 && counts.writes > 50,
    `${what}: every answer shows what was committed ${promiseMs} ms before: ${JSON.stringify(counts)}`,
  )
}

const figure = async (port: number, name: string) => {
  const headers = { authorization: 'Bearer who-measures-has-this' }
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text()
  return text.match(new RegExp(`^${name} .*$`, 'gm')) ?? []
}

const failOver = async () => {
  await primary.kill()
  const away = await get('/v1/products?limit=5')
  expect(
    [200, 503].includes(away.status),
    `without a primary an answer says so or is refused (${away.status})`,
  )
  standby.promote()
  pgbouncer.pointTo(standby.port)
  const startedAt = performance.now()
  const isFresh = async () => {
    const answer = await get('/v1/products?limit=5', { 'cache-control': 'no-cache' }).catch(() => undefined)
    return answer?.status === 200
  }
  await until('the new primary answers', isFresh, 60_000)
  await until('both instances are ready', async () => (await haproxy.countUp()) === 2, 60_000)
  print(`       the promoted standby serves after ${(performance.now() - startedAt).toFixed(0)} ms`)
}

try {
  const writer = await connectWriter(primary)
  const oldToken = await checkMainPath(writer)
  await checkFreshness(writer, 'on the primary')
  const checked = await checkFreshnessOn(primary.url('postgres'), ports, checkerSeconds)
  print(checked.text)
  expect(checked.isGreen, `the freshness checker is green for ${checkerSeconds} s`)
  const last = await writer.query(`select pg_current_wal_lsn()::text as lsn`)
  const follower = await connectWriter(standby)
  await until('the standby has it all', async () => {
    const { rows } = await follower.query(`select pg_last_wal_replay_lsn() >= $1::pg_lsn as done`, [
      last.rows[0].lsn,
    ])
    return rows[0].done as boolean
  })
  await follower.end()
  for (const port of ports)
    print(`       instance ${port}: ${(await figure(port, 'certdata_redis_up.*')).join(', ')}`)

  await failOver()
  authorization = `Bearer ${await logIn()}`
  const gone = await get(`/v1/changes?after=${encodeURIComponent(oldToken)}`)
  expect(gone.status === 410, `a token of the time before the fail-over is gone (${gone.status})`)
  const successor = await connectWriter(standby)
  await checkMainPath(successor)
  await checkFreshness(successor, 'on the promoted standby')
  await successor.end()
  const exits = await Promise.all(services.map((service) => service.stop()))
  expect(
    exits.every((code) => code === 0),
    `instances end cleanly (${exits.join()})`,
  )
} catch (error) {
  faults.push(String(error))
  print(`NOT OK ${(error as Error).stack}`)
  for (const service of services) print(service.output().slice(-3_000))
} finally {
  for (const service of services) await service.stop('SIGKILL')
  await haproxy.stop()
  await pgbouncer.stop()
  await redis.stop()
  await standby.stop()
  await primary.stop()
}
print(faults.length === 0 ? 'the topology holds' : `${faults.length} faults`)
process.exit(faults.length === 0 ? 0 : 1)
