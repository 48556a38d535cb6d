import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findPackage } from './embedded/binaries.ts'
import {
  type ClusterPaths,
  clusterName,
  findClusterPaths,
  hasInstance,
  removeClusterPaths,
} from './embedded/cluster-paths.ts'
import { tryLock, type Unlock } from './embedded/lock.ts'
import { moveCluster, setOrphanAside } from './embedded/move.ts'
import { findPostmaster, stopPostmaster } from './embedded/postmaster.ts'
import { withRemedy } from './embedded/remedy.ts'
import { adoptServer, startServer } from './embedded/start.ts'

const limitMs = 30_000
const pollMs = 20

/**
 * `url`: the owner's. `directory`: the data folder. `revive`: true if it started a server; rejects without folder.
 */
export type EmbeddedPostgres = {
  url: string
  directory: string
  revive(): Promise<boolean>
  release(): Promise<void>
}

/**
 * `dataDir` is relative to `packageRoot`. If `temporary`, it is removed when the server stops. If `isQuiet`, only
 * changes are logged, not where files have been since an earlier start.
 */
type EmbeddedOptions = {
  dataDir: string
  packageRoot: string
  log: (message: string) => void
  settings?: Record<string, string>
  temporary?: boolean
  isQuiet?: boolean
}

// Looks up the paths at each attempt: the previous holder of the lock may have moved the cluster.
const lockPaths = async (
  dataDir: string,
  deadline: number,
): Promise<{ paths: ClusterPaths; unlock: Unlock }> => {
  for (;;) {
    const paths = findClusterPaths(dataDir)
    const file = join(paths.home, 'start.lock')
    try {
      const unlock = tryLock(file, 'exclusive')
      if (unlock) return { paths, unlock }
    } catch (cause) {
      if (existsSync(file)) {
        throw new Error(`${file} cannot be locked: does ${paths.home} belong to another user?`, { cause })
      }
      const isRemoved = (cause as NodeJS.ErrnoException).code === 'ENOENT'
      if (!isRemoved || performance.now() > deadline)
        throw new Error(withRemedy(`${file} cannot be made`, cause as Error), { cause })
    }
    if (performance.now() > deadline) throw new Error(`another process keeps ${file} locked`)
    await delay(pollMs)
  }
}

const useLock = ({ home }: ClusterPaths) => join(home, 'users.lock')

// Each process that uses the server holds a shared lock. The one that gets the exclusive lock is the last.
const releaseServer = async (paths: ClusterPaths, leave: Unlock, temporary: boolean): Promise<void> => {
  // A server whose folder was removed exits within a minute.
  if (!existsSync(paths.home)) return leave()
  const deadline = performance.now() + limitMs
  const { unlock } = await lockPaths(paths.directory, deadline)
  leave()
  const alone = tryLock(useLock(paths), 'exclusive')
  try {
    if (!alone) return
    await stopPostmaster(join(paths.home, clusterName), deadline)
    if (temporary) removeClusterPaths(paths)
  } finally {
    alone?.()
    unlock()
  }
}

/**
 * Starts the bundled PostgreSQL on `dataDir`, or joins the server that runs there. The server survives a
 * killed process; `release()` by the last process that uses it stops it. It listens only on a unix socket in
 * a private folder. Throws with the next step if the programs or the folder cannot be used, or after 30 s.
 */
export const startEmbedded = async (options: EmbeddedOptions): Promise<EmbeddedPostgres> => {
  const { packageRoot, dataDir, log, settings = {}, temporary = false, isQuiet = false } = options
  const deadline = performance.now() + limitMs
  const programs = findPackage(packageRoot)
  const { paths, unlock } = await lockPaths(resolve(packageRoot, dataDir), deadline)
  try {
    const describe = isQuiet ? () => {} : log
    if (paths.moved) describe(`${paths.moved}: its database is in ${paths.home}`)
    await moveCluster(paths, log, deadline)
    await setOrphanAside(paths, log, deadline)
    const server = { programs, settings, log: describe }
    // A copy of a large database may take longer than a start.
    const readyBy = performance.now() + limitMs
    const url = (await adoptServer(paths, readyBy)) ?? (await startServer({ ...server, paths }, readyBy))
    const leave = tryLock(useLock(paths), 'shared')
    if (!leave) throw new Error(`${useLock(paths)} was removed during the start`)
    let released: Promise<void> | undefined
    const release = () => {
      released ??= releaseServer(paths, leave, temporary)
      return released
    }
    const revive = async () => {
      if (released || findPostmaster(join(paths.home, clusterName))) return false
      // A start would create an empty database.
      if (!hasInstance(paths.directory))
        throw new Error(`${paths.directory} was removed: restart the service`)
      const until = performance.now() + limitMs
      const locked = await lockPaths(paths.directory, until)
      try {
        // Another process may have restarted it since the check above.
        if (await adoptServer(locked.paths, until)) return false
        await startServer({ ...server, paths: locked.paths }, until)
        return true
      } finally {
        locked.unlock()
      }
    }
    return { url, directory: paths.directory, revive, release }
  } finally {
    unlock()
  }
}
