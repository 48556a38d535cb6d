import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import type { ServerUser } from './server-user.ts'
import { answers, socketUrl } from './socket.ts'

const POLL_MS = 20

// The server's default sizes, named so that a changed default does not change the footprint. Shared memory as
// files in the cluster: containers have 64 MB of /dev/shm, and systemd empties it when a user logs out.
const TUNING = {
  shared_buffers: '128MB',
  max_connections: '100',
  fsync: 'on',
  synchronous_commit: 'on',
  dynamic_shared_memory_type: 'mmap',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // What a failed statement says, and its details, are values of rows: the log is read by others than they are.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

/**
 * Returns the id of the process that serves this cluster now. Undefined if no such process runs or this process
 * cannot see it.
 */
export function findPostmaster(cluster: string): number | undefined {
  const { pid } = readPidFile(cluster)
  return pid && runsOn(cluster, pid) ? pid : undefined
}

/** What PostgreSQL's programs see of the environment: none of the service's secrets, no PG variables. */
export function serverEnvironment(cluster: string): Record<string, string> {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: cluster, LC_ALL: 'C', TZ: 'UTC' }
}

/**
 * Starts a server of its own session, so that neither Ctrl-C nor this process's end reaches it. It listens on
 * the socket in `socketDir` alone and writes to `logFile` (the one of the run before: `<logFile>.old`).
 */
export function launchPostmaster(options: {
  binaries: Binaries
  cluster: string
  socketDir: string
  logFile: string
  user: ServerUser
  settings: Record<string, string>
}): { isGone: () => boolean; stop: () => void } {
  const { binaries, cluster, socketDir, logFile, user } = options
  const settings = Object.entries({
    ...TUNING,
    ...options.settings,
    listen_addresses: '',
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    port: '5432',
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openLog(logFile)
  // The lock that guards the data is postmaster.pid; this one is about the name of a socket, ours alone.
  rmSync(join(socketDir, '.s.PGSQL.5432.lock'), { force: true })
  const server = spawn(join(binaries.folder, 'bin', 'postgres'), ['-D', cluster, ...settings], {
    ...user.ids,
    cwd: cluster,
    detached: true,
    stdio: ['ignore', log, log],
    // A stale postmaster.pid may hold an id that another process has by now, or that of a killed server that nobody
    // reaped. This is common after a container's restart, where small ids are used again. PostgreSQL takes any living
    // process with that id for a server, unless this variable names it as its grandparent. PostgreSQL still checks that
    // no process is attached to the cluster's shared memory.
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

/**
 * Waits until the server on this cluster takes connections and has the database `certdata`, which it makes if
 * missing. Undefined as soon as `isGone()`.
 * @param deadline milliseconds of `performance.now()`
 * @throws when the deadline passes, or the server refuses this user
 */
export async function waitUntilReady(
  cluster: string,
  isGone: () => boolean,
  deadline: number,
): Promise<string | undefined> {
  for (;;) {
    // Not only of a process seen from here: it may be in another container on the same volume.
    const { socketDir } = readPidFile(cluster)
    if (socketDir && (await answers(socketDir))) return socketUrl(socketDir)
    if (isGone()) return undefined
    if (performance.now() > deadline) throw new Error(`PostgreSQL in ${cluster} does not answer`)
    await delay(POLL_MS)
  }
}

/**
 * Stops the server on this cluster, disconnecting its clients, and waits until it is gone. None: no effect.
 * @param deadline milliseconds of `performance.now()`
 * @throws when the deadline passes
 */
export async function stopPostmaster(cluster: string, deadline: number): Promise<void> {
  const pid = findPostmaster(cluster)
  if (!pid) return
  process.kill(pid, 'SIGINT')
  while (findPostmaster(cluster) === pid) {
    if (performance.now() > deadline) throw new Error(`PostgreSQL in ${cluster} (pid ${pid}) does not stop`)
    await delay(POLL_MS)
  }
}

function openLog(path: string): number {
  try {
    renameSync(path, `${path}.old`)
  } catch {
    // The first run.
  }
  return openSync(path, 'a', 0o600)
}

// The file's lines are pid, data folder, start time, port, socket folder (empty while starting), and more.
function readPidFile(cluster: string): { pid?: number; socketDir?: string } {
  try {
    const [pid, folder, , , socketDir = ''] = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split(
      '\n',
    )
    // Another folder: copied or moved with the file of a server that still runs, and that one is not ours.
    return folder === cluster && Number(pid) > 1 ? { pid: Number(pid), socketDir } : {}
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

function runsOn(cluster: string, pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  if (process.platform !== 'linux') return true
  // The id may belong to another program by now, or to a dead process that nobody reaped (no command line).
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(cluster)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}
