import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../test/helper.ts'
import { freePort, type TestRedis, testRedis } from '../../test/servers.ts'

/** Debian's engines, as in a deployment, each as a process that can be killed. */

const bin = '/usr/lib/postgresql/15/bin'
const user = 'postgres'

/** Creates a folder that Debian's postgres may write to. */
const makeFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `certdata-topology-${name}-`))
  const [uid = 0, gid = 0] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, user])))
  chownSync(folder, uid, gid)
  chmodSync(folder, 0o700)
  return folder
}
const asPostgres = (program: string, args: string[]): [string, string[]] => [
  'setpriv',
  [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', program, ...args],
]
const run = (program: string, args: string[]) => {
  const [command, all] = asPostgres(program, args)
  execFileSync(command, all, { stdio: ['ignore', 'ignore', 'inherit'], cwd: '/' })
}

const processes = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of processes) child.kill('SIGKILL')
})
const launch = (program: string, args: string[]): ChildProcess => {
  const [command, all] = asPostgres(program, args)
  const child = spawn(command, all, { stdio: ['ignore', 'ignore', 'ignore'], cwd: '/' })
  processes.add(child)
  child.once('exit', () => processes.delete(child))
  return child
}
const end = async (child: ChildProcess, signal: NodeJS.Signals) => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await once(child, 'exit')
}

export type Postgres = {
  port: number
  url(login: string, database?: string): string
  /** Creates a streaming standby with pg_basebackup. */
  createStandby(): Promise<Postgres>
  promote(): void
  /** Like a lost machine. */
  kill(): Promise<void>
  stop(): Promise<void>
}

const startOn = async (folder: string): Promise<Postgres> => {
  const port = await freePort()
  const settings = [
    'fsync=off',
    'max_connections=100',
    'wal_keep_size=64MB',
    `unix_socket_directories=${folder}`,
  ]
  const options = settings.flatMap((setting) => ['-c', setting])
  const child = launch(`${bin}/postgres`, ['-D', folder, '-p', String(port), '-h', '127.0.0.1', ...options])
  const isReady = () => {
    try {
      execFileSync(`${bin}/pg_isready`, ['-q', '-h', '127.0.0.1', '-p', String(port)])
      return true
    } catch {
      return false
    }
  }
  await until('PostgreSQL answers', isReady, 30_000)
  return {
    port,
    url: (login, database = 'certdata') => `postgresql://${login}@127.0.0.1:${port}/${database}`,
    async createStandby() {
      const copy = makeFolder('standby')
      const source = ['-h', '127.0.0.1', '-p', String(port), '-U', user]
      run(`${bin}/pg_basebackup`, [...source, '-D', copy, '-R', '-X', 'stream', '-c', 'fast'])
      return startOn(copy)
    },
    promote: () => run(`${bin}/pg_ctl`, ['promote', '-D', folder, '-w']),
    kill: () => end(child, 'SIGKILL'),
    async stop() {
      await end(child, 'SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts an empty primary that trusts every connection from this machine. */
export const startPrimary = async (): Promise<Postgres> => {
  const folder = makeFolder('primary')
  run(`${bin}/initdb`, ['-D', folder, '-A', 'trust', '-U', user, '-E', 'UTF8', '--locale=C', '-N'])
  return startOn(folder)
}

export type Pgbouncer = { port: number; pointTo(port: number): void; stop(): Promise<void> }

export const startPgbouncer = async (target: number): Promise<Pgbouncer> => {
  const folder = makeFolder('pgbouncer')
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const configure = (to: number) => {
    const lines = [
      '[databases]',
      `certdata = host=127.0.0.1 port=${to} dbname=certdata`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1`,
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      'auth_file = /dev/null',
      'pool_mode = transaction',
      'default_pool_size = 20',
      // Soon retries a server that is down.
      'server_login_retry = 1',
      'server_connect_timeout = 2',
      'ignore_startup_parameters = extra_float_digits,statement_timeout,options',
    ]
    // `any` maps every login to one user, the serving role.
    writeFileSync(
      file,
      `${lines.join('\n').replace('dbname=certdata', 'dbname=certdata user=certdata_reader')}\n`,
    )
    chmodSync(file, 0o644)
  }
  configure(target)
  const child = launch('/usr/sbin/pgbouncer', ['-q', file])
  await delay(500)
  if (child.exitCode !== null) throw new Error('pgbouncer does not start')
  return {
    port,
    pointTo(to) {
      configure(to)
      child.kill('SIGHUP')
    },
    async stop() {
      await end(child, 'SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts three masters with one replica each. */
export const startRedisCluster = async (): Promise<{ url: string; stop(): Promise<void> }> => {
  const options = ['--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1']
  const nodes: TestRedis[] = []
  for (let count = 0; count < 6; count += 1) {
    const node = await testRedis(undefined, options)
    if (!node) throw new Error('redis-server is not installed')
    nodes.push(node)
  }
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  const args = ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes']
  execFileSync('redis-cli', args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const stop = async () => {
    for (const node of nodes) await node.stop()
  }
  return { url: `redis-cluster://${addresses.slice(0, 3).join(',')}`, stop }
}
