import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findPackage } from './embedded/binaries.ts'
import { CLUSTER, type ClusterPaths, findClusterPaths, removeClusterPaths } from './embedded/cluster-paths.ts'
import { tryLock, type Unlock } from './embedded/lock.ts'
import { findPostmaster, stopPostmaster } from './embedded/postmaster.ts'
import { adoptServer, setOrphanAside, startServer } from './embedded/start.ts'

const LIMIT_MS = 30_000
const POLL_MS = 20

/** `url` logs in as the owner. `directory` is the data folder. `revive` returns true after a restart. */
export type EmbeddedPostgres = {
  url: string
  directory: string
  revive(): Promise<boolean>
  release(): Promise<void>
}

/** `dataDir` is relative to `packageRoot`. If `temporary`, it is removed when the server stops. */
type EmbeddedOptions = {
  dataDir: string
  packageRoot: string
  log: (message: string) => void
  settings?: Record<string, string>
  temporary?: boolean
}

/**
 * Starts the bundled PostgreSQL on `dataDir`, or joins the server that runs there. The server survives a
 * killed process; `release()` by the last process that uses it stops it. It listens only on a unix socket in
 * a private folder. Throws with the next step if the programs or the folder cannot be used, or after 30 s.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { packageRoot, dataDir, log, settings = {}, temporary = false } = options
  const deadline = performance.now() + LIMIT_MS
  const programs = findPackage(packageRoot)
  const { places, unlock } = await lockPlaces(resolve(packageRoot, dataDir), deadline)
  try {
    if (places.moved) log(`${places.moved}: its database is in ${places.home}`)
    await setOrphanAside(places, log, deadline)
    const url =
      (await adoptServer(places, deadline)) ?? (await startServer(places, programs, settings, log, deadline))
    const leave = tryLock(usersLock(places), 'shared')
    if (!leave) throw new Error(`${usersLock(places)} was removed during the start`)
    let released: Promise<void> | undefined
    const release = () => {
      released ??= releaseServer(places, leave, temporary)
      return released
    }
    const revive = async () => {
      if (released || findPostmaster(join(places.home, CLUSTER))) return false
      const until = performance.now() + LIMIT_MS
      const locked = await lockPlaces(places.directory, until)
      try {
        // Another process may have restarted it since the check above.
        if (await adoptServer(locked.places, until)) return false
        await startServer(locked.places, programs, settings, log, until)
        return true
      } finally {
        locked.unlock()
      }
    }
    return { url, directory: places.directory, revive, release }
  } finally {
    unlock()
  }
}

// Each process that uses the server holds a shared lock. The one that gets the exclusive lock is the last.
async function releaseServer(places: ClusterPaths, leave: Unlock, temporary: boolean): Promise<void> {
  // A server whose folder was removed exits within a minute.
  if (!existsSync(places.home)) return leave()
  const deadline = performance.now() + LIMIT_MS
  const { unlock } = await lockPlaces(places.directory, deadline)
  leave()
  const alone = tryLock(usersLock(places), 'exclusive')
  try {
    if (!alone) return
    await stopPostmaster(join(places.home, CLUSTER), deadline)
    if (temporary) removeClusterPaths(places)
  } finally {
    alone?.()
    unlock()
  }
}

// Looks up the places at each attempt, because the previous holder of the lock may have moved them.
async function lockPlaces(
  dataDir: string,
  deadline: number,
): Promise<{ places: ClusterPaths; unlock: Unlock }> {
  for (;;) {
    const places = findClusterPaths(dataDir)
    const file = join(places.home, 'start.lock')
    try {
      const unlock = tryLock(file, 'exclusive')
      if (unlock) return { places, unlock }
    } catch (cause) {
      if (existsSync(file)) {
        throw new Error(`${file} cannot be locked: does ${places.home} belong to another user?`, { cause })
      }
      if (performance.now() > deadline) throw cause
    }
    if (performance.now() > deadline) throw new Error(`another process keeps ${file} locked`)
    await delay(POLL_MS)
  }
}

const usersLock = ({ home }: ClusterPaths) => join(home, 'users.lock')
