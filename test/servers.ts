import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, chmodSync, constants, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { tryLock } from '../app/local/embedded/lock.ts'
import { type EmbeddedPostgres, startEmbedded } from '../app/local/embedded.ts'

const PACKAGE_ROOT = join(import.meta.dirname, '..')
const SHARED_PREFIX = `certdata-test-${process.getuid?.() ?? 0}-`
const PREPARED = 'test_prepared'
const START_LIMIT_MS = 60_000
const PORT_TRIES = 5
const PORTS_PER_JOB = 5_000

/** `url` connects as the owner, who is a superuser on the bundled server. */
export type TestPostgres = { url: string; stop(): Promise<void> }

/** Tests may stop or kill the process `pid`; `stop()` works in any state. */
export type TestRedis = { url: string; port: number; pid: number; stop(): Promise<void> }

/**
 * Creates a database on the server of TEST_DATABASE_URL (an owner's URL). Without it, the test files of a run share a
 * bundled server, which the first file starts. There `prepare` runs once, and its result is copied, so all callers of a
 * run must prepare the same.
 */
export async function testPostgres(prepare?: (url: string) => Promise<void>): Promise<TestPostgres> {
  const given = process.env.TEST_DATABASE_URL
  const server = given ? { url: given, release: async () => {} } : await startShared()
  const name = `test_${randomBytes(8).toString('hex')}`
  const isCopied = prepare && !given
  if (isCopied) await makePrepared(server.url, prepare)
  await execute(server.url, `create database ${name}${isCopied ? ` template ${PREPARED}` : ''}`)
  if (!isCopied) await prepare?.(withDatabase(server.url, name))
  const drop = async () => {
    await execute(server.url, `drop database if exists ${name} with (force)`)
    await server.release()
  }
  let dropped: Promise<void> | undefined
  const stop = () => {
    dropped ??= drop()
    return dropped
  }
  return { url: withDatabase(server.url, name), stop }
}

/**
 * Starts redis-server (or the program REDIS_SERVER) without persistence. Returns `undefined` if the program does not
 * exist, but rejects if REQUIRE_REDIS=1.
 */
export async function testRedis(port?: number, options: string[] = []): Promise<TestRedis | undefined> {
  const program = findProgram(process.env.REDIS_SERVER ?? 'redis-server')
  if (!program) {
    if (process.env.REQUIRE_REDIS === '1') throw new Error('REQUIRE_REDIS=1, but there is no redis-server')
    return undefined
  }
  for (let tries = 1; ; tries++) {
    try {
      return await startRedis(program, port ?? (await freePort()), options)
    } catch (error) {
      // Another process may have taken the port in the meantime.
      if (tries === PORT_TRIES) throw error
    }
  }
}

/**
 * Creates a folder for the bundled PostgreSQL. If root starts it, it runs as another user, who must reach the folder.
 * Otherwise its data would be stored elsewhere.
 */
export function makeDataFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `certdata-${name}-`))
  chmodSync(folder, 0o711)
  return folder
}

/** Returns a free port of 127.0.0.1. The system assigns higher ports only, and each job of a run has 5,000 ports. */
export async function freePort(): Promise<number> {
  const first = 12_000 + (Number(process.env.TAP_JOB_ID ?? 0) % 4) * PORTS_PER_JOB
  for (;;) {
    portsTaken++
    const port = first + (portsTaken % PORTS_PER_JOB)
    if (await isFree(port)) return port
  }
}

let portsTaken = randomInt(PORTS_PER_JOB)

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}

// The key is the process that runs the test files.
async function startShared() {
  await removeAbandoned()
  const key = process.env.TEST_POSTGRES_KEY ?? String(process.ppid)
  const server = await startInTemp(key)
  if (process.env.TAP === '1') holdForRun(key)
  return server
}

export const sharedFolder = (key: string): string => join(tmpdir(), SHARED_PREFIX + key)

/** Starts or joins the server of a run. */
export async function startInTemp(key: string): Promise<EmbeddedPostgres> {
  return await startEmbedded({
    dataDir: sharedFolder(key),
    packageRoot: PACKAGE_ROOT,
    log: () => {},
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '300',
      max_prepared_transactions: '20',
    },
    temporary: true,
  })
}

// The first file of a run starts hold-postgres.ts.
function holdForRun(key: string): void {
  const unlock = tryLock(join(sharedFolder(key), 'holder.lock'), 'exclusive')
  if (!unlock) return
  unlock()
  const program = join(import.meta.dirname, 'hold-postgres.ts')
  spawn(process.execPath, [program, key], { detached: true, stdio: 'ignore' }).unref()
}

// Joins and leaves servers of runs that were killed, which removes them.
async function removeAbandoned(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(SHARED_PREFIX))) {
    const key = name.slice(SHARED_PREFIX.length)
    if (!/^\d+$/.test(key) || isAlive(Number(key))) continue
    try {
      await (await startInTemp(key)).release()
    } catch {
      // Another file may remove it at the same time.
      rmSync(join(tmpdir(), name), { recursive: true, force: true, maxRetries: 5 })
    }
  }
}

// The first file of a run prepares the database, and the others wait.
async function makePrepared(url: string, prepare: (url: string) => Promise<void>): Promise<void> {
  await connected(url, async (client) => {
    await client.query('select pg_advisory_lock(1)')
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [PREPARED])
    if (rowCount) return
    const unfinished = `${PREPARED}_unfinished`
    await client.query(`drop database if exists ${unfinished}`)
    await client.query(`create database ${unfinished}`)
    await prepare(withDatabase(url, unfinished))
    await client.query(`alter database ${unfinished} rename to ${PREPARED}`)
  })
}

const execute = (url: string, statement: string): Promise<unknown> =>
  connected(url, (client) => client.query(statement))

async function connected<Result>(url: string, use: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

// The class URL refuses a socket's URL, which has no host.
function withDatabase(url: string, name: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${name}`)
}

async function startRedis(program: string, port: number, more: string[]): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-redis-'))
  const options = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
    ...more,
  ]
  const server = spawn(program, options, { cwd: folder, stdio: 'ignore' })
  const kill = () => server.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    process.removeListener('exit', kill)
    // SIGKILL also ends a stopped process.
    if (isRunning(server) && kill()) await once(server, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await once(server, 'spawn')
    const deadline = Date.now() + START_LIMIT_MS
    while (!(await answersPing(port))) {
      if (!isRunning(server) || Date.now() > deadline) throw new Error(`${program} does not start`)
      await delay(10)
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `redis://127.0.0.1:${port}`, port, pid: server.pid ?? 0, stop }
}

async function answersPing(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    socket.setTimeout(1000, () => socket.destroy(new Error('silent')))
    socket.write('PING\r\n')
    const [reply] = (await once(socket, 'data')) as [Buffer]
    // It is ready if it requires a password.
    return /^(?:\+PONG|-NOAUTH)/.test(reply.toString())
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

const isRunning = (child: ChildProcess) =>
  child.pid !== undefined && child.exitCode === null && child.signalCode === null

function findProgram(name: string): string | undefined {
  const candidates = name.includes('/')
    ? [name]
    : (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))
  return candidates.find((path) => {
    if (!existsSync(path)) return false
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
