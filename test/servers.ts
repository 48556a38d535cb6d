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

/** Tests may pause or kill the process `pid`. `stop()` works all the same. */
export type TestRedis = { url: string; port: number; pid: number; stop(): Promise<void> }

/**
 * Creates a database on the server of TEST_DATABASE_URL (an owner's URL, PostgreSQL 15 or later). By default, all test
 * files of a run share a bundled server without durability, which is removed after the run. `stop()` drops the
 * database. On the bundled server, and with TEST_DATABASE_TEMPORARY=1, `prepare` runs once and its result is copied, so
 * all files must pass the same one.
 */
export async function testPostgres(prepare?: (url: string) => Promise<void>): Promise<TestPostgres> {
  const given = process.env.TEST_DATABASE_URL
  const server = given ? { url: given, release: async () => {} } : await startShared()
  const name = `test_${randomBytes(8).toString('hex')}`
  const isCopied = prepare && (!given || process.env.TEST_DATABASE_TEMPORARY === '1')
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
 * Starts redis-server (or the program REDIS_SERVER) on 127.0.0.1 without persistence. `undefined` if the program does
 * not exist, unless REQUIRE_REDIS=1 forbids skipping.
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
      // Another process may have taken the port.
      if (tries === PORT_TRIES) throw error
    }
  }
}

/**
 * Returns a new folder for the bundled PostgreSQL. Its path is short enough for a socket. If root starts the server, it
 * runs as another user, which must be able to enter the folder.
 */
export function makeDataFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `certdata-${name}-`))
  chmodSync(folder, 0o711)
  return folder
}

/**
 * Returns a free TCP port of 127.0.0.1. No other program takes it: the system assigns only higher ports, and each job of
 * a run has its own 5,000.
 */
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

// The parent of all test files of a run identifies the run.
async function startShared() {
  await removeAbandoned()
  const key = process.env.TEST_POSTGRES_KEY ?? String(process.ppid)
  const server = await startInTemp(key)
  if (process.env.TAP === '1') holdForRun(key)
  return server
}

export const sharedFolder = (key: string): string => join(tmpdir(), SHARED_PREFIX + key)

/** Starts or joins the server of a run. `key`: the id of the process that runs the test files. */
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

function holdForRun(key: string): void {
  const unlock = tryLock(join(sharedFolder(key), 'holder.lock'), 'exclusive')
  if (!unlock) return
  unlock()
  const program = join(import.meta.dirname, 'hold-postgres.ts')
  spawn(process.execPath, [program, key], { detached: true, stdio: 'ignore' }).unref()
}

// A killed run leaves its server behind. The last user that leaves a server removes it.
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

// The first test file prepares the template, and the others wait.
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

// `URL` refuses the address of a socket, because it has no host.
function withDatabase(url: string, name: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${name}`)
}

async function startRedis(program: string, port: number, more: string[]): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-redis-'))
  const address = ['--bind', '127.0.0.1', '--port', String(port)]
  const unsaved = ['--save', '', '--appendonly', 'no', '--dir', folder]
  // SIGKILL also ends a process that a test has paused.
  const started = await startProgram(program, [...address, ...unsaved, ...more], {
    folder,
    signal: 'SIGKILL',
    stdio: 'ignore',
    isReady: () => answersPing(port),
  })
  return { ...started, url: `redis://127.0.0.1:${port}`, port }
}

type ProgramOptions = {
  folder: string
  isReady: () => Promise<boolean>
  signal: NodeJS.Signals
  stdio?: 'ignore'
}

/** Starts a program and waits until it is ready. `stop` also deletes its folder. */
export async function startProgram(
  program: string,
  args: readonly string[],
  { folder, isReady, signal, stdio }: ProgramOptions,
): Promise<{ pid: number; stop(): Promise<void> }> {
  const child = spawn(program, args, { cwd: folder, stdio: stdio ?? ['ignore', 'ignore', 'inherit'] })
  const end = () => child.kill(signal)
  process.once('exit', end)
  const stop = async () => {
    process.removeListener('exit', end)
    if (isRunning(child) && end()) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await once(child, 'spawn')
    const deadline = Date.now() + START_LIMIT_MS
    while (!(await isReady())) {
      if (!isRunning(child) || Date.now() > deadline) throw new Error(`${program} does not start`)
      await delay(10)
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { pid: child.pid ?? 0, stop }
}

async function answersPing(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    socket.setTimeout(1000, () => socket.destroy(new Error('silent')))
    socket.write('PING\r\n')
    const [reply] = (await once(socket, 'data')) as [Buffer]
    // NOAUTH: ready, with a password.
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
