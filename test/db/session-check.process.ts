import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { parseConfig } from '../../app/config/config.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { createDb, createPool, operatorRole, readerRole } from '../../app/db/connect.ts'
import { migrate } from '../../app/db/migrate.ts'
import { pinSession } from '../../app/db/session.ts'
import { checkSession, UnfitConnection } from '../../app/db/session-check.ts'
import { prepareDatabase } from '../../app/local/prepare.ts'
import { openStores } from '../../app/main/stores.ts'
import { toApiError } from '../../plugins/problems.ts'
import { run } from '../command-line.ts'
import { until } from '../helper.ts'
import { freePort, makeDataFolder, testPostgres } from '../servers.ts'
import { startService } from '../service.ts'

const secrets = { SECRET_KEY: 'a secret of the tests; longer than thirty-two characters' }
const packageRoot = join(import.meta.dirname, '..', '..')
const quiet = { info: () => {}, warn: () => {} }
const pooling = { max: 2, applicationName: 'test', onError: () => {} }

const server = await testPostgres()
const owner = createPool(server.url, pooling)
await prepareDatabase(createDb(owner), createSecrets([secrets.SECRET_KEY]))
t.teardown(async () => {
  await owner.end()
  await server.stop()
})

const database = new URLSearchParams(server.url.split('?')[1])
const databaseName = /\/([^/?]+)\?/.exec(server.url)?.[1] as string
const serving = { variable: 'DATABASE_URL', statementTimeoutMs: 5_000 }

/** Returns why a new connection is refused, or `undefined`. */
const readRefusal = async (settings: string, as = serving) => {
  const client = new pg.Client({ connectionString: server.url, options: settings })
  await client.connect()
  const outcome = await checkSession(client, { role: readerRole, serving: as }, 5_000).catch(
    (error: unknown) => error,
  )
  await client.end()
  if (outcome === undefined) return undefined
  return outcome instanceof UnfitConnection ? outcome.message : outcome
}
const pinned = new URLSearchParams(pinSession('').slice(1)).get('options')
const asReader = `${pinned} -c role=${readerRole} -c statement_timeout=5000`

t.test(
  'a connection is refused unless it is the reader, under row level security and a timeout',
  async (t) => {
    t.equal(await readRefusal(asReader), undefined)
    t.match(
      await readRefusal('-c statement_timeout=5000'),
      /DATABASE_URL: .* not as certdata_reader.*log in as/,
    )
    t.match(
      await readRefusal(`${pinned} -c role=${readerRole}`),
      /statement_timeout is 0 ms.*alter role certdata_reader/,
    )
    t.match(
      await readRefusal(`${asReader} -c DateStyle=German -c TimeZone=Asia/Tokyo`),
      /settings DateStyle, TimeZone: .*certdata migrate/,
    )
    t.match(await readRefusal(`${asReader} -c statement_timeout=6000`), /statement_timeout is 6000 ms/)
    t.equal(
      await readRefusal(`${pinned} -c role=${readerRole}`, { variable: 'DATABASE_URL' } as typeof serving),
      undefined,
    )
    await owner.query('alter table products no force row level security')
    t.match(await readRefusal(asReader), /row level security does not bind/)
    await owner.query('alter table products force row level security')
  },
)

t.test('a pool hands out no unfit connection, answers 503 and logs the reason', async (t) => {
  const told: string[] = []
  const unfit = { variable: 'DATABASE_REPLICA_URL', onUnfit: (error: Error) => told.push(error.message) }
  const pool = createPool(server.url, { ...pooling, serving: unfit })
  t.teardown(() => pool.end())
  await t.rejects(pool.connect(), { code: 'unavailable', status: 503 })
  t.match(told, [/^DATABASE_REPLICA_URL: connections act as /])
  const fit = createPool(server.url, { ...pooling, role: readerRole, serving: unfit })
  t.teardown(() => fit.end())
  ;(await fit.connect()).release()
  t.equal(told.length, 1)
})

t.test('a service whose new connections become unfit ends and logs the reason', async (t) => {
  const service = await startService({ ...secrets, DATABASE_URL: server.url })
  t.teardown(() => service.stop('SIGKILL'))
  await service.printed('Server listening')
  const ended = once(service.child, 'close')
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

/** Starts a pooler that logs in to the test's database as `user`. Returns its URL. */
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
    const ended = once(child, 'close')
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
    await t.rejects(open({ DATABASE_URL: url }), { message: /act as certdata, not as certdata_reader/ })
    const service = await startService({ ...secrets, DATABASE_URL: url })
    t.teardown(() => service.stop('SIGKILL'))
    await service.printed('The service cannot start: DATABASE_URL: connections act as certdata')
  },
)

t.test('behind such a pooler a standby is not read either', withPooler, async (t) => {
  const url = await startPooler(t, 'certdata', ignoresAll)
  await t.rejects(open({ DATABASE_URL: server.url, DATABASE_REPLICA_URL: url }), {
    message: /^DATABASE_REPLICA_URL: /,
  })
})

t.test('behind a pooler the reader serves, with a separate timeout', withPooler, async (t) => {
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

/** Another program on the same server may need these. */
const foreign = {
  DateStyle: 'German, DMY',
  TimeZone: 'Asia/Tokyo',
  IntervalStyle: 'iso_8601',
  standard_conforming_strings: 'off',
  bytea_output: 'escape',
  extra_float_digits: '-5',
  search_path: 'pg_temp',
  jit: 'on',
}
const names = Object.keys(foreign) as (keyof typeof foreign)[]
const ours = ['ISO, YMD', 'UTC', 'postgres', 'on', 'hex', '1', 'public', 'off']
const showAll = `select array[${names.map((name) => `current_setting('${name}')`)}] as shown, current_user as role`

const withForeignSettings = async (t: Test) => {
  const change = (end: (name: keyof typeof foreign) => string) =>
    owner.query(names.map((name) => `alter database ${databaseName} ${end(name)}`).join('; '))
  await change((name) => `set ${name} = '${foreign[name]}'`)
  t.teardown(() => change((name) => `reset ${name}`))
}

t.test('settings and role are equal for every connection string and database setting', async (t) => {
  await withForeignSettings(t)
  const options = names.map((name) => `-c ${name}=${foreign[name].replaceAll(' ', '\\ ')}`).join(' ')
  const hostile = `${server.url}&%6Fptions=${encodeURIComponent(`${options} -c role=${readerRole}`)}`
  for (const [url, role, expected] of [
    [hostile, undefined, 'certdata'],
    [hostile, operatorRole, operatorRole],
    [`${server.url}#fragment`, readerRole, readerRole],
  ] as const) {
    const pool = createPool(url, { ...pooling, ...(role ? { role } : {}) })
    const { rows } = await pool.query(showAll)
    await pool.end()
    t.same(rows, [{ shown: ours, role: expected }])
  }
  t.same(await migrate(createDb(owner)), [], 'migrate pins the roles')
})

t.test('a command has no timeout, although its login has', async (t) => {
  const timeouts = ['statement_timeout', 'idle_in_transaction_session_timeout']
  for (const name of timeouts) await owner.query(`alter role certdata set ${name} = 60000`)
  t.teardown(() => owner.query('alter role certdata reset all'))
  const pool = createPool(server.url, { ...pooling, statementTimeoutMs: 0 })
  const { rows } = await pool.query(`select setting from pg_settings where name = any($1)`, [timeouts])
  await pool.end()
  t.same(rows, [{ setting: '0' }, { setting: '0' }])
})

t.test(
  'behind a pooler the settings are the roles’ defaults, or the service refuses',
  withPooler,
  async (t) => {
    await withForeignSettings(t)
    await owner.query(`alter role ${operatorRole} login`)
    t.teardown(() => owner.query(`alter role ${operatorRole} nologin`))
    for (const role of [readerRole, operatorRole]) {
      const pool = createPool(await startPooler(t, role, ignoresAll), { ...pooling, role })
      const { rows } = await pool.query(showAll)
      await pool.end()
      t.same(rows, [{ shown: ours, role }])
    }
    await owner.query(`alter role ${readerRole} in database ${databaseName} reset bytea_output`)
    await t.rejects(open({ DATABASE_URL: await startPooler(t, readerRole, ignoresAll) }), {
      message: /^DATABASE_URL: a pooler drops the settings bytea_output: run `npx --no certdata migrate`/,
    })
    await migrate(createDb(owner))
  },
)

t.test('behind a pooler a statement pins the session of a login', withPooler, async (t) => {
  await withForeignSettings(t)
  const pool = createPool(await startPooler(t, 'certdata', ignoresAll), pooling)
  t.teardown(() => pool.end())
  t.same((await pool.query(showAll)).rows, [{ shown: ours, role: 'certdata' }])
})

t.test('a command that must act as the operator does not run as the owner', withPooler, async (t) => {
  const list = async (login: string) => {
    const url = await startPooler(t, login, ignoresAll)
    return run(['customers', 'list'], {
      env: { ...secrets, DATABASE_URL: server.url, DATABASE_ADMIN_URL: url },
    })
  }
  t.match(await list('certdata'), {
    code: 1,
    stderr: /connections act as certdata, not as certdata_operator.*let DATABASE_ADMIN_URL log in as/,
  })
  await owner.query(`alter role ${operatorRole} login`)
  t.match(await list(operatorRole), { code: 0, stdout: /Example Devices/ })
})

t.test('a database with another encoding is refused by migrate and at the start', async (t) => {
  const name = `${databaseName}_ascii`
  await owner.query(`create database ${name} encoding 'SQL_ASCII' template template0
    locale_provider libc lc_collate 'C' lc_ctype 'C'`)
  t.teardown(() => owner.query(`drop database ${name} with (force)`))
  const url = server.url.replace(`/${databaseName}`, `/${name}`)
  const advice = /is SQL_ASCII, and must be UTF8.*create database certdata encoding 'UTF8' template template0/
  t.match(await run(['migrate'], { env: { ...secrets, DATABASE_URL: url } }), { code: 1, stderr: advice })
  await t.rejects(open({ DATABASE_URL: url }), { message: advice })
})

t.test('only app/db/session.ts and the bundled PostgreSQL set connection options', async (t) => {
  const app = join(packageRoot, 'app')
  const files = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const others = files.filter((file) =>
    /connectionString: (?!pinSession\()/.test(readFileSync(join(app, file), 'utf8')),
  )
  // It creates its database with this connection, before any of its tables exists.
  t.same(others, ['local/embedded/socket.ts'], 'every other connection string passes pinSession')
  t.match(readFileSync(join(app, 'local/embedded/socket.ts'), 'utf8'), "options: '-c ")
})

t.test('a pooler that refuses start-up options is named as the cause', withPooler, async (t) => {
  const url = await startPooler(t, 'certdata', 'extra_float_digits')
  await t.rejects(open({ DATABASE_URL: url }), {
    message: /the pooler refuses the start-up parameter .*ignore_startup_parameters to .*certdata_reader/,
  })
})

const listener = `
const server = require('node:net').createServer().listen({ path: process.argv[1], backlog: 1 })
server.on('listening', () => process.stdout.write('listening'))`

t.test('a stopped server whose socket accepts no connection gets 503 with Retry-After', async (t) => {
  const folder = makeDataFolder('stopped')
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, ['-e', listener, join(folder, '.s.PGSQL.5432')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGSTOP')
  const url = `postgresql://someone@/nothing?host=${encodeURIComponent(folder)}`
  const pool = createPool(url, { ...pooling, max: 300 })
  // The first few connections wait in the socket's queue.
  const error = await new Promise((resolve) => {
    for (let connection = 0; connection < 8; connection += 1) pool.connect().catch(resolve)
  })
  t.match(error, { code: 'EAGAIN' })
  t.match(toApiError(error), {
    code: 'unavailable',
    status: 503,
    extras: { headers: { 'retry-after': '1' } },
  })
  child.kill('SIGKILL')
})
