import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import type { ServerUser } from './server-user.ts'
import { ensureDatabase, socketUrl } from './socket.ts'

const pollMs = 20

// Sets the default sizes and durability explicitly. `mmap`: containers have only 64 MB of /dev/shm.
const tuning = {
  shared_buffers: '128MB',
  max_connections: '100',
  fsync: 'on',
  synchronous_commit: 'on',
  dynamic_shared_memory_type: 'mmap',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Failed statements contain values of rows, which readers of the log may not be allowed to see.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

// Lines of the file: pid, data folder, start time, port, socket folder (empty while starting), and more.
const readPidFile = (cluster: string): { pid?: number; socketDir?: string } => {
  try {
    const [pid, folder, , , socketDir = ''] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split(
      '\n',
    )
    // With another folder, this cluster is a copy, and the file names the server of the original.
    return folder === cluster && Number(pid) > 1 ? { pid: Number(pid), socketDir } : {}
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

const runsOn = (cluster: string, pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  if (process.platform !== 'linux') return true
  // The id may belong to another program now, or to a zombie, whose command line is empty.
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(cluster)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

/** Returns the server's process id; `undefined` if it does not run, or runs in another container. */
export const findPostmaster = (cluster: string): number | undefined => {
  const { pid } = readPidFile(cluster)
  return pid && runsOn(cluster, pid) ? pid : undefined
}

/** Returns the environment of PostgreSQL's programs: no secrets of the service, and no PG variables. */
export const serverEnvironment = (cluster: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: cluster,
  LC_ALL: 'C',
  TZ: 'UTC',
})

const openLog = (path: string): number => {
  try {
    renameSync(path, `${path}.old`)
  } catch {}
  return openSync(path, 'a', 0o600)
}

/** Starts a server in a separate session, so that it survives Ctrl-C and this process. */
export const launchPostmaster = (options: {
  binaries: Binaries
  cluster: string
  socketDir: string
  logFile: string
  user: ServerUser
  settings: Record<string, string>
}): { isGone: () => boolean; stop: () => void } => {
  const { binaries, cluster, socketDir, logFile, user } = options
  const settings = Object.entries({
    ...tuning,
    ...options.settings,
    listen_addresses: '',
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: '5432',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openLog(logFile)
  // postmaster.pid protects the data. This lock protects only the name of a socket in our own folder.
  rmSync(join(socketDir, '.s.PGSQL.5432.lock'), { force: true })
  const server = spawn(join(binaries.folder, 'bin', 'postgres'), ['-D', cluster, ...settings], {
    ...user.ids,
    cwd: cluster,
    detached: true,
    stdio: ['ignore', log, log],
    // The id in a stale postmaster.pid may belong to another process now, which is common in containers.
    // PostgreSQL takes that process for a server, unless this variable names it as its grandparent.
    env: { ...serverEnvironment(cluster), PG_GRANDPARENT_PID: String(readPidFile(cluster).pid ?? '') },
  })
  closeSync(log)
  server.unref()
  let hasFailed = false
  server.on('error', () => {
    hasFailed = true
  })
  return {
    isGone: () => hasFailed || server.exitCode !== null || server.signalCode !== null,
    stop: () => server.kill('SIGINT'),
  }
}

/** Returns the URL once the server accepts connections; `undefined` if `isGone()`. Throws at the deadline. */
export const waitUntilReady = async (
  cluster: string,
  isGone: () => boolean,
  deadline: number,
): Promise<string | undefined> => {
  let reason = 'no socket'
  for (;;) {
    // Does not check the process id: the server may run in another container on the same volume.
    const { socketDir } = readPidFile(cluster)
    try {
      if (socketDir) {
        await ensureDatabase(socketDir)
        return socketUrl(socketDir)
      }
    } catch (error) {
      reason = (error as Error).message
    }
    if (isGone()) return undefined
    if (performance.now() > deadline) throw new Error(`PostgreSQL in ${cluster} does not answer: ${reason}`)
    await delay(pollMs)
  }
}

/** Stops a running server and waits for its end. Throws if the deadline passes. */
export const stopPostmaster = async (cluster: string, deadline: number): Promise<void> => {
  const pid = findPostmaster(cluster)
  if (!pid) return
  process.kill(pid, 'SIGINT')
  while (findPostmaster(cluster) === pid) {
    if (performance.now() > deadline) throw new Error(`PostgreSQL in ${cluster} (pid ${pid}) does not stop`)
    await delay(pollMs)
  }
}
