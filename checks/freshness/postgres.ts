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
import { clusterName } from '../../app/local/embedded/cluster-paths.ts'
import { findPostmaster, launchPostmaster, waitUntilReady } from '../../app/local/embedded/postmaster.ts'
import { makeServerFolder, newServerUser } from '../../app/local/embedded/server-user.ts'
import { socketUrl } from '../../app/local/embedded/socket.ts'

/** A separate PostgreSQL from the bundled programs, for faults. */
export type PostgresServer = {
  /** Returns the URL of the owner's connection to a database. */
  url(database: string): string
  /** Pauses all its processes. Running statements wait. */
  pause(): void
  resume(): void
  /** Refuses new connections and keeps existing ones. `resume` ends it. */
  refuseNewcomers(): void
  /** Like a power cut, except that the disk keeps all written data. */
  crash(): Promise<void>
  /** Kills all its processes (SIGKILL). */
  kill(): Promise<void>
  launch(): Promise<void>
  restartImmediately(): Promise<void>
  stop(): Promise<void>
  /**
   * Creates a streaming standby from a copy. Stops this server briefly for the copy. `port`: a port of
   * 127.0.0.1 by which the standby reaches this server. Optional. Defaults to a direct connection.
   */
  createStandby(port?: number): Promise<PostgresServer>
  /**
   * Stops the server briefly and copies it. After `crash`, the returned function replaces it with the
   * promoted copy. The copy's history then continues on a new timeline.
   */
  keepCopy(): Promise<() => Promise<void>>
  /** Like `keepCopy`, but the copy starts as it is: on the same timeline, as after a restore of files. */
  keepBackup(): Promise<() => Promise<void>>
}

const packageRoot = join(import.meta.dirname, '..', '..')
const limitMs = 30_000
/** Without fsync a commit survives a crash of the server but not of the machine, which is enough here. */
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
    // The process has already ended.
  }
}

const startOn = async (
  home: string,
  binaries: Binaries,
  extra: Record<string, string>,
): Promise<PostgresServer> => {
  const cluster = join(home, clusterName)
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
      // Killed child processes hold its shared memory for a moment.
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
    cpSync(cluster, join(copy, clusterName), { recursive: true, filter: (path) => !path.endsWith('.pid') })
    chownAll(join(copy, clusterName))
    await launch()
    return copy
  }
  const replaceBy = (copy: string): void => {
    rmSync(cluster, { recursive: true })
    renameSync(join(copy, clusterName), cluster)
    rmSync(copy, { recursive: true })
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
        replaceBy(copy)
        writeFileSync(join(cluster, 'standby.signal'), '')
        chownAll(cluster)
        await launch()
        const client = new pg.Client({ connectionString: socketUrl(cluster, 'postgres') })
        await client.connect()
        await client.query('select pg_promote()')
        await client.end()
      }
    },
    async keepBackup() {
      const copy = await copyStopped()
      return async () => {
        replaceBy(copy)
        await launch()
      }
    },
    async createStandby(port) {
      const copy = await copyStopped()
      writeFileSync(join(copy, clusterName, 'standby.signal'), '')
      chownAll(join(copy, clusterName))
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

/** Removes the folders of killed runs. */
const removeAbandoned = () => {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : 0
    if (!owner || existsSync(`/proc/${owner}`)) continue
    const home = join(tmpdir(), name)
    const running = findPostmaster(join(home, clusterName))
    if (running) for (const each of [running, ...getChildren(running)]) signal(each, 'SIGKILL')
    rmSync(home, { recursive: true, force: true })
  }
}

/** Starts a new cluster. If a run ends without stopping it, the next run removes it. */
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
