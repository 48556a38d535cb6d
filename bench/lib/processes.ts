import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import os from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbedded } from '../../app/local/embedded.ts'
import { asStarted } from './as-started.ts'
import { stopWithProcess } from './endings.ts'

const root = join(import.meta.dirname, '../..')

const readyWithinMs = 60_000

/** Something started for a bench. `label` says what it is, for the report. */
export type Started = { url: string; label: string; stop(): Promise<void> }

/** A TCP port of 127.0.0.1 that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export const makeFolder = (): string => {
  const folder = mkdtempSync(join(os.tmpdir(), 'certdata-bench-'))
  chmodSync(folder, 0o755)
  return folder
}

const findOnPath = (program: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((each) => join(each, program))
    .find(existsSync)

/** The newest of the machine's own PostgreSQL installations. */
const findLocalBinaries = (): string | undefined =>
  globSync('/usr/lib/postgresql/*/bin')
    .filter((bin) => existsSync(join(bin, 'initdb')))
    .sort((a, b) => Number(b.split('/')[4]) - Number(a.split('/')[4]))[0]

/** PostgreSQL refuses to run as root. */
const ownerOf = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/**
 * `folder`: where the data stay; without it they are removed with the server. `settings`: PostgreSQL's, added to
 * the bench's own.
 */
export type PostgresOptions = { folder?: string; settings?: Readonly<Record<string, string>> }

const benchSettings = { max_connections: '200', shared_buffers: '512MB', max_wal_size: '4GB' }

const startLocal = async (bin: string, { folder: kept, settings }: PostgresOptions): Promise<Started> => {
  const folder = kept ?? makeFolder()
  const data = join(folder, 'data')
  const owner = ownerOf()
  const run = (program: string, options: string[]) =>
    execFileSync(join(bin, program), options, {
      ...owner,
      cwd: folder,
      stdio: 'ignore',
      env: { HOME: folder },
    })
  if (!existsSync(join(data, 'PG_VERSION'))) {
    mkdirSync(folder, { recursive: true })
    if (owner.uid !== undefined) execFileSync('chown', [String(owner.uid), folder])
    run('initdb', ['-D', data, '-U', 'postgres', '--no-locale', '-E', 'UTF8', '-A', 'trust'])
  }
  const port = await freePort()
  const set = Object.entries({ ...benchSettings, ...settings }).map(([name, value]) => ` -c ${name}=${value}`)
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1${set.join('')}`
  run('pg_ctl', ['-D', data, '-l', join(folder, 'log'), '-w', '-o', options, 'start'])
  return stopWithProcess({
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    label: `PostgreSQL ${bin.split('/')[4]} of this machine`,
    stop: async () => {
      run('pg_ctl', ['-D', data, '-m', kept ? 'fast' : 'immediate', '-w', 'stop'])
      if (!kept) rmSync(folder, { recursive: true, force: true })
    },
  })
}

/** The machine's PostgreSQL, else the bundled one. */
export const startPostgres = async (options: PostgresOptions = {}): Promise<Started> => {
  const bin = findLocalBinaries()
  if (bin) return startLocal(bin, options)
  const folder = options.folder ?? makeFolder()
  const server = await startEmbedded({
    dataDir: folder,
    packageRoot: root,
    log: () => {},
    settings: { ...benchSettings, ...options.settings },
    temporary: options.folder === undefined,
  })
  return stopWithProcess({
    url: server.url,
    label: 'the bundled PostgreSQL (none is installed)',
    stop: async () => {
      await server.release()
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  })
}

/** Starts the machine's redis-server. Undefined if it is not installed. */
export const startRedis = async (): Promise<Started | undefined> => {
  const program = findOnPath('redis-server')
  if (!program) return undefined
  const port = await freePort()
  const folder = makeFolder()
  const child = spawn(
    program,
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder],
    {
      stdio: 'ignore',
    },
  )
  return stopWithProcess({
    url: `redis://127.0.0.1:${port}`,
    label: 'redis-server of this machine',
    stop: async () => {
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  })
}

export const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** A server under test: its process, for what it costs. */
export type Server = Started & { pid: number }

/** Counted as ever, refused never. */
const noLimits = Object.fromEntries(
  ['PREMIUM', 'ENTERPRISE', 'DEMO']
    .flatMap((plan) => [`LIMIT_${plan}_BURST`, `LIMIT_${plan}_MINUTE`])
    .concat('LIMIT_LOGINS')
    .map((name) => [name, '1000000000']),
)

/** The token that reads `/metrics` of the bench's services. */
export const metricsToken = 'metrics-of-the-bench'

/** The service as a process, everything on, its log in a file. `execArgv`: of Node. */
export const startService = async (
  env: Readonly<Record<string, string>>,
  execArgv: readonly string[] = [],
): Promise<Server> => {
  const folder = makeFolder()
  const logFile = join(folder, 'access.log')
  const log = openSync(logFile, 'w')
  const port = await freePort()
  const child = spawn(process.execPath, [...asStarted().flags, ...execArgv, 'app/server.js'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...asStarted().variables,
      ...noLimits,
      METRICS_TOKEN: metricsToken,
      SECRET_KEY: 'a secret of the bench that is longer than thirty-two characters',
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + readyWithinMs
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`The service did not get ready:\n${readFileSync(logFile, 'utf8')}`)
    }
    await delay(50)
  }
  return stopWithProcess({
    url,
    label: 'the service',
    pid: child.pid as number,
    stop: async () => {
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  })
}

/** One of bench/reference.ts, told what to answer. */
export const startReference = async (instructions: object): Promise<Server> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../reference.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.send(instructions)
  const [address] = (await once(child, 'message')) as [AddressInfo]
  const url = `http://127.0.0.1:${address.port}`
  return stopWithProcess({ url, label: 'reference', pid: child.pid as number, stop: () => end(child) })
}

const ticksPerSecond = 100

/** Milliseconds of processor time that a process has had, in user and kernel mode; 0 where that is not told. */
export const cpuMs = (pid: number): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
  } catch {
    return 0
  }
}

/** Milliseconds that a process's main thread was ready and had no core; 0 where that is not told. */
export const waitedMs = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/** Resident memory of a process in MiB; 0 where that is not told. */
export const residentMib = (pid: number): number => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return 0
  }
}
