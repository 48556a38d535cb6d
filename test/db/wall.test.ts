import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { parseConfig } from '../../app/config/config.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { createDb, createPool, readerRole } from '../../app/db/connect.ts'
import { requireWall, UnfitConnection } from '../../app/db/wall.ts'
import { prepareDatabase } from '../../app/local/prepare.ts'
import { openStores } from '../../app/main/stores.ts'
import { until } from '../helper.ts'
import { freePort, testPostgres } from '../servers.ts'
import { startService } from '../service.ts'

const secrets = { SECRET_KEY: 'a secret of the tests; longer than thirty-two characters' }
const packageRoot = join(import.meta.dirname, '..', '..')
const quiet = { info: () => {}, warn: () => {} }
const options = { max: 2, applicationName: 'test', onError: () => {} }

const server = await testPostgres()
const owner = createPool(server.url, options)
await prepareDatabase(createDb(owner), createSecrets([secrets.SECRET_KEY]))
t.teardown(async () => {
  await owner.end()
  await server.stop()
})

const database = new URLSearchParams(server.url.split('?')[1])
const databaseName = /\/([^/?]+)\?/.exec(server.url)?.[1] as string
const wall = { variable: 'DATABASE_URL', statementTimeoutMs: 5_000 }

/** What a new connection is refused for; undefined: it is taken. */
const refusalOf = async (settings: string, as = wall) => {
  const client = new pg.Client({ connectionString: server.url, options: settings })
  await client.connect()
  const outcome = await requireWall(client, as, 5_000).catch((error: unknown) => error)
  await client.end()
  if (outcome === undefined) return undefined
  return outcome instanceof UnfitConnection ? outcome.message : outcome
}
const asReader = `-c role=${readerRole} -c statement_timeout=5000`

t.test(
  'a connection is refused unless it is the reader, under row level security and a timeout',
  async (t) => {
    t.equal(await refusalOf(asReader), undefined)
    t.match(
      await refusalOf('-c statement_timeout=5000'),
      /DATABASE_URL: .* not as certdata_reader.*log in as/,
    )
    t.match(await refusalOf(`-c role=${readerRole}`), /statement_timeout is 0 ms.*alter role certdata_reader/)
    t.match(await refusalOf(`${asReader} -c statement_timeout=6000`), /statement_timeout is 6000 ms/)
    t.equal(await refusalOf(`-c role=${readerRole}`, { variable: 'DATABASE_URL' } as typeof wall), undefined)
    await owner.query('alter table products no force row level security')
    t.match(await refusalOf(asReader), /row level security does not bind/)
    await owner.query('alter table products force row level security')
  },
)

t.test('a pool hands out no such connection, answers 503 and tells why', async (t) => {
  const told: string[] = []
  const unfit = { variable: 'DATABASE_REPLICA_URL', onUnfit: (error: Error) => told.push(error.message) }
  const pool = createPool(server.url, { ...options, wall: unfit })
  t.teardown(() => pool.end())
  await t.rejects(pool.connect(), { code: 'unavailable', status: 503 })
  t.match(told, [/^DATABASE_REPLICA_URL: connections serve as /])
  const fit = createPool(server.url, { ...options, role: readerRole, wall: unfit })
  t.teardown(() => fit.end())
  ;(await fit.connect()).release()
  t.equal(told.length, 1)
})

t.test('a service whose new connections are not fit any more ends, and says why', async (t) => {
  const service = await startService({ ...secrets, DATABASE_URL: server.url })
  t.teardown(() => service.stop('SIGKILL'))
  await service.printed('Server listening')
  const ended = once(service.child, 'exit')
  await owner.query('alter table products no force row level security')
  await owner.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'certdata'`,
  )
  await fetch(`${service.base}/v1/certificates`, {
    headers: { authorization: 'Bearer cda_demo_public' },
  }).catch(() => {})
  t.same(await ended, [1, null])
  t.match(service.output(), /DATABASE_URL: row level security does not bind certdata_reader/)
  await owner.query('alter table products force row level security')
})

const program = '/usr/sbin/pgbouncer'

/** A pooler in front of the test's database, which logs in there as `user`. Returns its URL. */
const startPooler = async (t: Test, user: string, ignored: string): Promise<string> => {
  const socketDir = database.get('host') as string
  const { uid, gid } = statSync(socketDir)
  const folder = mkdtempSync(join(tmpdir(), 'certdata-pooler-'))
  chmodSync(folder, 0o755)
  chownSync(folder, uid, gid)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
certdata = host=${socketDir} port=5432 dbname=${databaseName} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
auth_file = /dev/null
pool_mode = transaction
ignore_startup_parameters = ${ignored}
`,
  )
  const child: ChildProcess = spawn(program, ['-q', file], { uid, gid, cwd: '/', stdio: 'ignore' })
  t.teardown(async () => {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  })
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false))
      socket.on('connect', () => socket.destroy())
    })
  await until('the pooler answers', answers)
  return `postgresql://anybody@127.0.0.1:${port}/certdata?sslmode=disable`
}

const open = (env: Record<string, string>) =>
  openStores({
    config: parseConfig({ ...secrets, ...env }),
    packageRoot,
    log: quiet,
    signal: new AbortController().signal,
  })

const withPooler = existsSync(program) ? {} : { skip: 'no pgbouncer here: NOT tested' }
const ignoresAll = 'extra_float_digits, options, statement_timeout'

t.test(
  'behind a pooler that drops start-up options, an owner’s login does not serve',
  withPooler,
  async (t) => {
    const url = await startPooler(t, 'certdata', ignoresAll)
    await t.rejects(open({ DATABASE_URL: url }), { message: /serve as certdata, not as certdata_reader/ })
    const service = await startService({ ...secrets, DATABASE_URL: url })
    t.teardown(() => service.stop('SIGKILL'))
    await service.printed('The service cannot start: DATABASE_URL: connections serve as certdata')
  },
)

t.test('nor is a standby read so', withPooler, async (t) => {
  const url = await startPooler(t, 'certdata', ignoresAll)
  await t.rejects(open({ DATABASE_URL: server.url, DATABASE_REPLICA_URL: url }), {
    message: /^DATABASE_REPLICA_URL: /,
  })
})

t.test('behind a pooler the reader serves, with a timeout of its own', withPooler, async (t) => {
  await owner.query(`alter role ${readerRole} login`)
  const url = await startPooler(t, readerRole, ignoresAll)
  await t.rejects(open({ DATABASE_URL: url, DATABASE_PREPARED: 'off' }), {
    message: /statement_timeout is 0 ms/,
  })
  await owner.query(`alter role ${readerRole} in database ${databaseName} set statement_timeout = 5000`)
  const patient = await startPooler(t, readerRole, ignoresAll)
  const stores = await open({ DATABASE_URL: patient, DATABASE_PREPARED: 'off' })
  await stores.close()
})

t.test('a pooler that refuses start-up options is named as the cause', withPooler, async (t) => {
  const url = await startPooler(t, 'certdata', 'extra_float_digits')
  await t.rejects(open({ DATABASE_URL: url }), {
    message: /the pooler refuses the start-up parameter .*ignore_startup_parameters to .*certdata_reader/,
  })
})
