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

/** `url`: the owner's connection. `directory`: private folder for small files of this instance. */
export type EmbeddedPostgres = {
  url: string
  directory: string
  revive(): Promise<boolean>
  release(): Promise<void>
}

/**
 * `dataDir` is relative to `packageRoot`, which has the programs. `settings`: PostgreSQL settings, used only
 * if this process starts the server. `temporary`: the last user to release removes `dataDir`.
 */
type EmbeddedOptions = {
  dataDir: string
  packageRoot: string
  log: (message: string) => void
  settings?: Record<string, string>
  temporary?: boolean
}

/**
 * Starts the bundled PostgreSQL on `dataDir`, or joins the server that runs there. The first start creates
 * the data. The server survives a killed user; `release()` of the last living user stops it. It listens only
 * on a unix socket that other users cannot reach. Throws with the remedy if the programs or the folder cannot
 * be used, or if the server is not ready within 30 s.
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
        // Another user may have started it since the check above.
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

// Each user holds a shared lock for its lifetime. A process that gets the exclusive lock is the last user.
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

// Every change of an instance happens under this lock. The places are looked up at each attempt: the previous
// holder may have moved them.
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
