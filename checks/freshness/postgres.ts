import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Binaries, findPackage, prepareBinaries } from '../../app/local/embedded/binaries.ts'
import { createCluster } from '../../app/local/embedded/cluster.ts'
import { CLUSTER } from '../../app/local/embedded/cluster-paths.ts'
import { findPostmaster, launchPostmaster, waitUntilReady } from '../../app/local/embedded/postmaster.ts'
import { makeServerFolder, newServerUser } from '../../app/local/embedded/server-user.ts'
import { socketUrl } from '../../app/local/embedded/socket.ts'

/** A PostgreSQL of its own, from the bundled programs, that can be hurt. */
export type PostgresServer = {
  /** Returns the URL of the owner's connection to a database. */
  url(database: string): string
  /** Stops every process of it; what is running waits. */
  pause(): void
  resume(): void
  /** Takes no new connections; those that are there work on. `resume` ends it. */
  refuseNewcomers(): void
  /** As at a power cut, but that the disk keeps what was written. */
  crash(): Promise<void>
  /** Kills every process of it (SIGKILL). */
  kill(): Promise<void>
  /** After `crash` or `kill`. */
  launch(): Promise<void>
  /** A crash, then a launch. */
  restartImmediately(): Promise<void>
  stop(): Promise<void>
  /**
   * A standby that streams from it: copied while this one is stopped for a moment. `port`: of 127.0.0.1, through which
   * it reaches this one; absent: it needs none.
   */
  createStandby(port?: number): Promise<PostgresServer>
  /**
   * Stops the server for a moment and copies it. The returned function puts the promoted copy in its place after
   * `crash`. The copy's history then goes on, on a timeline of its own.
   */
  keepCopy(): Promise<() => Promise<void>>
}

const packageRoot = join(import.meta.dirname, '..', '..')
const limitMs = 30_000
/** Without fsync a commit survives the server's crash, not the machine's: all that is asked here. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  log_min_messages: 'fatal',
  log_min_error_statement: 'panic',
}
const user = newServerUser()

const getChildren = (pid: number): number[] =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      // After the name in parentheses: state, then the parent.
      const [, parent] = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      return Number(parent) === pid ? [Number(name)] : []
    } catch {
      return []
    }
  })

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already.
  }
}

const startOn = async (
  home: string,
  binaries: Binaries,
  extra: Record<string, string>,
): Promise<PostgresServer> => {
  const cluster = join(home, CLUSTER)
  const logFile = join(home, 'postgres.log')
  const pid = () => findPostmaster(cluster) ?? 0
  const launch = async () => {
    const deadline = performance.now() + limitMs
    for (;;) {
      const server = launchPostmaster({
        binaries,
        cluster,
        socketDir: cluster,
        logFile,
        user,
        settings: { ...settings, ...extra },
      })
      if (await waitUntilReady(cluster, server.isGone, deadline)) return
      // Killed children hold its memory for a moment.
      if (performance.now() > deadline) throw new Error(readFileSync(logFile, 'utf8'))
      await delay(50)
    }
  }
  const end = async (name: NodeJS.Signals) => {
    const running = pid()
    if (!running) return
    const all = [running, ...getChildren(running)]
    signal(running, name)
    for (const each of all) signal(each, 'SIGCONT')
    const deadline = Date.now() + limitMs
    while (pid() === running) {
      if (Date.now() > deadline) throw new Error(`PostgreSQL ${running} does not stop`)
      await delay(10)
    }
  }
  const killNow = () => {
    const running = pid()
    if (running) for (const each of [running, ...getChildren(running)]) signal(each, 'SIGKILL')
  }
  process.once('exit', killNow)
  const each = (name: NodeJS.Signals) => {
    const running = pid()
    for (const member of [running, ...getChildren(running)]) signal(member, name)
  }
  await launch()
  const copyStopped = async (): Promise<string> => {
    const copy = makeHome()
    await end('SIGINT')
    cpSync(cluster, join(copy, CLUSTER), { recursive: true, filter: (path) => !path.endsWith('.pid') })
    chownAll(join(copy, CLUSTER))
    await launch()
    return copy
  }
  return {
    url: (database) => socketUrl(cluster, database),
    pause: () => each('SIGSTOP'),
    resume: () => each('SIGCONT'),
    refuseNewcomers: () => signal(pid(), 'SIGSTOP'),
    crash: () => end('SIGQUIT'),
    async kill() {
      const running = pid()
      killNow()
      while (pid() === running) await delay(10)
    },
    launch,
    async restartImmediately() {
      await end('SIGQUIT')
      await launch()
    },
    async stop() {
      process.removeListener('exit', killNow)
      await end('SIGQUIT')
      rmSync(home, { recursive: true, force: true })
    },
    async keepCopy() {
      const copy = await copyStopped()
      return async () => {
        rmSync(cluster, { recursive: true })
        renameSync(join(copy, CLUSTER), cluster)
        rmSync(copy, { recursive: true })
        writeFileSync(join(cluster, 'standby.signal'), '')
        chownAll(cluster)
        await launch()
        const client = new pg.Client({ connectionString: socketUrl(cluster, 'postgres') })
        await client.connect()
        await client.query('select pg_promote()')
        await client.end()
      }
    },
    async createStandby(port) {
      const copy = await copyStopped()
      writeFileSync(join(copy, CLUSTER, 'standby.signal'), '')
      chownAll(join(copy, CLUSTER))
      return startOn(copy, binaries, {
        primary_conninfo: `host=${port ? '127.0.0.1' : cluster} port=${port ?? 5432} user=certdata sslmode=disable`,
      })
    },
  }
}

const chownAll = (folder: string) => {
  makeServerFolder(folder, user)
  for (const item of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(item.parentPath, item.name)
    if (item.isDirectory()) makeServerFolder(path, user)
    else makeServerFile(path)
  }
}

const makeServerFile = (path: string) => {
  chmodSync(path, 0o600)
  const { uid, gid } = user.ids
  if (uid !== undefined && gid !== undefined) lchownSync(path, uid >>> 0, gid >>> 0)
}

const prefix = 'certdata-freshness-'

const makeHome = () => {
  const home = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  chmodSync(home, 0o755)
  return home
}

/** Of runs that were killed. */
const removeAbandoned = () => {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : 0
    if (!owner || existsSync(`/proc/${owner}`)) continue
    const home = join(tmpdir(), name)
    const running = findPostmaster(join(home, CLUSTER))
    if (running) for (const each of [running, ...getChildren(running)]) signal(each, 'SIGKILL')
    rmSync(home, { recursive: true, force: true })
  }
}

/** A new cluster, started. A run that ends without stopping it leaves it to the next one to remove. */
export const startPostgres = async (): Promise<PostgresServer> => {
  removeAbandoned()
  const home = makeHome()
  const places = { directory: home, home }
  try {
    const binaries = await prepareBinaries(findPackage(packageRoot), places, user, () => {})
    await createCluster(home, binaries, user, false)
    return await startOn(home, binaries, {})
  } catch (error) {
    rmSync(home, { recursive: true, force: true })
    throw error
  }
}
