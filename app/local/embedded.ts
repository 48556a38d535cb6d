import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findPackage } from './embedded/binaries.ts'
import { tryLock, type Unlock } from './embedded/lock.ts'
import { CLUSTER, type ClusterPaths, findPlaces, removePlaces } from './embedded/places.ts'
import { findPostmaster, stopPostmaster } from './embedded/postmaster.ts'
import { adoptServer, setOrphanAside, startServer } from './embedded/start.ts'

const LIMIT_MS = 30_000
const POLL_MS = 20

/** `url`: the owner's connection. `directory`: ours, closed to others, for small files of this instance. */
export type EmbeddedPostgres = {
  url: string
  directory: string
  /** Starts the server again if its process has died. Returns whether it did. Throws as `startEmbedded` does. */
  revive(): Promise<boolean>
  release(): Promise<void>
}

/**
 * `dataDir` is resolved against `packageRoot`, from where the installed programs are found too. `settings`
 * are PostgreSQL's own, for the one who starts the server. `temporary`: the last to leave removes `dataDir`.
 */
type EmbeddedOptions = {
  dataDir: string
  packageRoot: string
  log: (message: string) => void
  settings?: Record<string, string>
  temporary?: boolean
}

/**
 * Starts the bundled PostgreSQL on the data in `dataDir`, or joins the one that runs there, and registers this
 * process as a user. The first start creates the data. Any number of processes may call it at once: one starts the
 * server, the others use it. The server survives a user that is killed. `release()` of the last living user stops
 * the server and waits for its end; calling it again does nothing. The server listens only on a unix socket that is
 * closed to other users.
 * @throws when the programs are not installed or do not run here, the folder is unusable (reason in the message) or belongs to another major version, or the server is not ready within 30 s (with the end of its log)
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
        // Another user may have started it meanwhile.
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

// Each user holds a shared lock for its lifetime. A process that gets the exclusive lock is the only one left.
async function releaseServer(places: ClusterPaths, leave: Unlock, temporary: boolean): Promise<void> {
  // A server whose folder was removed ends by itself within a minute.
  if (!existsSync(places.home)) return leave()
  const deadline = performance.now() + LIMIT_MS
  const { unlock } = await lockPlaces(places.directory, deadline)
  leave()
  const alone = tryLock(usersLock(places), 'exclusive')
  try {
    if (!alone) return
    await stopPostmaster(join(places.home, CLUSTER), deadline)
    if (temporary) removePlaces(places)
  } finally {
    alone?.()
    unlock()
  }
}

// Every change of an instance happens under this lock. Each round looks up the places anew, because the former holder
// may have made, moved or removed them.
async function lockPlaces(
  dataDir: string,
  deadline: number,
): Promise<{ places: ClusterPaths; unlock: Unlock }> {
  for (;;) {
    const places = findPlaces(dataDir)
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
