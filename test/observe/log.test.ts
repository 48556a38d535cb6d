import { sql } from 'kysely'
import pino from 'pino'
import t from 'tap'
import { createMinuteWarning } from '../../app/db/redis.ts'
import { createApiKey } from '../../app/identity/api-keys.ts'
import { createAccessLog } from '../../app/observe/access-log.ts'
import { formatForTerminal, logFormat } from '../../app/observe/log-format.ts'
import { throttleWarnings } from '../../app/observe/throttled-warning.ts'
import {
  addCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  lockProducts,
  logIn,
  type TestClock,
  until,
} from '../helper.ts'
import { createSimulation } from '../limits/simulation.ts'

const noSpace = 'could not extend file "base/5/16384": No space left on device'
/** Makes each insert into a table fail with PostgreSQL's error for a full disk. */
const fillDisk = (table: string) => `
  create function ${table}_full() returns trigger language plpgsql as $$
  begin raise exception using errcode = '53100', message = '${noSpace}'; end $$;
  create trigger "full" before insert on ${table} for each row execute function ${table}_full();
  alter table ${table} enable always trigger "full"`

const start = async (t: Tap, clock?: TestClock) => {
  const database = await createTestDatabase()
  const lines: string[] = []
  const logStream = { write: (line: string) => void lines.push(line), lost: 0 }
  const app = await createTestApp(database, {
    env: { LOG_LEVEL: 'warn' },
    logStream,
    ...(clock ? { clock } : {}),
  })
  const owner = connectOwner(database)
  closeAfter(t, app, owner, database)
  const warnings = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn')
  const refusals = () => warnings().filter(({ msg }) => msg === 'requests are answered with 503')
  return { database, app, owner, warnings, refusals }
}
type Tap = { teardown(handler: () => unknown): void }

t.test('one warning a minute reports a full disk, regardless of the number of refused logins', async (t) => {
  const { database, app, owner, refusals } = await start(t)
  const payload = { api_key: await addCustomer(database, 'acme') }
  await sql.raw(fillDisk('audit_entries')).execute(owner)
  for (let login = 0; login < 5; login += 1) {
    const answer = await app.inject({ method: 'POST', url: '/v1/auth/login', payload })
    t.equal(answer.statusCode, 503)
    t.equal(answer.headers['retry-after'], '1')
  }
  t.match(refusals(), [{ reason: "the database's disk is full (53100)" }])
  t.equal(refusals().length, 1)
})

t.test('a locked table causes a warning', async (t) => {
  const { database, app, refusals } = await start(t)
  const { get } = await logIn(app, await addCustomer(database, 'acme'))
  const unlock = await lockProducts(database)
  const reason = 'a statement took too long: a table may be locked (57014)'
  // The service's own timeout may come before PostgreSQL's error.
  await until('a warning', async () => {
    t.equal((await get('/v1/products')).statusCode, 503)
    return refusals().some((line) => line.reason === reason)
  })
  await unlock()
})

t.test('a read-only database causes one warning for each kind of failed write', async (t) => {
  const { database, app, owner, warnings } = await start(t)
  const payload = { api_key: await addCustomer(database, 'acme') }
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(owner)
  await sql.raw(`alter database "${rows[0]?.name}" set default_transaction_read_only = on`).execute(owner)
  await sql`
    select pg_terminate_backend(pid, 30000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(owner)
  // The pool reads that its connections were closed.
  await new Promise(setImmediate)
  const wrong = { api_key: createApiKey().apiKey }
  const ask = (body: object) => app.inject({ method: 'POST', url: '/v1/auth/login', payload: body })
  for (let login = 0; login < 4; login += 1) {
    t.equal((await ask(payload)).statusCode, 503)
    t.equal((await ask(wrong)).statusCode, 401)
  }
  const reason = 'the database is read-only (25006)'
  const told = warnings().filter((line) => line.reason === reason)
  t.match(told, [
    { msg: 'the use of an API key was not recorded' },
    { msg: 'requests are answered with 503' },
    { msg: 'refused logins are not in the audit trail' },
  ])
  t.equal(told.length, 3)
  t.equal(warnings().filter(({ msg }) => msg === 'the use of an API key was not recorded').length, 1)
})

t.test('a warning is logged once a minute per reason, with the number of suppressed ones', (t) => {
  const written: unknown[] = []
  let nowMs = 0
  const warn = throttleWarnings({ warn: (...line) => void written.push(line) }, () => nowMs)
  for (let time = 0; time < 4; time += 1) warn('full', 'refused')
  warn('locked', 'refused')
  nowMs = 60_000
  warn('full', 'refused')
  t.same(written, [
    [{ reason: 'full' }, 'refused'],
    [{ reason: 'locked' }, 'refused'],
    [{ reason: 'full', omitted: 3 }, 'refused'],
  ])
  t.end()
})

t.test('alternating refusals of Redis are logged once a minute each', (t) => {
  const written: string[] = []
  const warn = createMinuteWarning((_message, { message }) => void written.push(message))
  for (const message of ['OOM 1', 'READONLY 2', 'OOM 3', 'READONLY 4']) warn('refused', new Error(message))
  t.same(written, ['OOM 1', 'READONLY 2'])
  t.end()
})

const write = (act: (log: pino.Logger, stream: { write(line: string): void; lost: number }) => void) => {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line), lost: 0 }
  act(pino({ ...logFormat }, stream), stream)
  return lines
}

t.test('log lines, also of answers, have level names and ISO times', async (t) => {
  const lines = write((log, stream) => {
    log.warn({ reason: 'full' }, 'no room')
    createAccessLog(
      'info',
      stream,
    )?.({ requestId: 'r', method: 'GET', route: '/x', status: 200, ms: 1 } as never)
  })
  t.match(
    lines.map((line) => JSON.parse(line)),
    [
      { level: 'warn', time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, reason: 'full', msg: 'no room' },
      { level: 'info', time: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, route: '/x', msg: 'answered' },
    ],
  )
})

t.test('of a flood of refusals, ten lines a second and their number are logged', async (t) => {
  const { after, runTo } = createSimulation()
  const lines: string[] = []
  const log = createAccessLog('info', { write: (line) => void lines.push(line), lost: 0 }, { after })
  const answer = (status: number, route: string, count: number) => {
    for (let n = 0; n < count; n += 1)
      log?.({ requestId: 'r', method: 'POST', route, status, ms: 1 } as never)
  }
  answer(401, '/v1/auth/login', 1_000)
  answer(503, '/v1/products', 3)
  answer(200, '/v1/products', 30)
  t.equal(lines.length, 10 + 3 + 30)
  await runTo(1_000)
  t.equal(lines.length, 44)
  t.match(JSON.parse(lines.at(-1) as string), {
    level: 'info',
    method: 'POST',
    route: '/v1/auth/login',
    status: 401,
    omitted: 990,
    msg: 'more requests were refused than are logged',
  })
  answer(401, '/v1/auth/login', 5)
  t.equal(lines.length, 49, 'the next second has lines of its own')
})

t.test('a log line is readable on a terminal', async (t) => {
  const [line = ''] = write((log) => log.warn({ reason: 'disk is full', status: 503 }, 'no room'))
  t.match(
    formatForTerminal(line, false),
    /^\d\d:\d\d:\d\d WARN {2}no room reason="disk is full" status=503\n$/,
  )
  t.match(formatForTerminal(line, true), '\u001b[33mWARN \u001b[39m no room')
  const err = { type: 'Error', message: 'broken', stack: '    at a.ts:1' }
  const failed = JSON.stringify({ level: 'error', time: '2026-11-26T09:00:00.000Z', msg: 'failed', err })
  t.match(formatForTerminal(failed, false), /ERROR failed\nError: broken\n {4}at a\.ts:1\n$/)
})
