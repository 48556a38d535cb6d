import { existsSync, lstatSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type PostgresPackage, prepareBinaries } from './binaries.ts'
import { clusterExists, createCluster, removeUnfinished } from './cluster.ts'
import { CLUSTER, type ClusterPaths, linkCluster, placeSocket } from './places.ts'
import { findPostmaster, launchPostmaster, stopPostmaster, waitUntilReady } from './postmaster.ts'
import { clusterOwner, newServerUser } from './server-user.ts'

// A killed postmaster's children take a moment to notice, and hold the shared memory until then.
const STILL_IN_USE = 'pre-existing shared memory block'
const RETRY_MS = 50

type Log = (message: string) => void

/**
 * The URL of the server that already runs there, once it takes connections; undefined when none does.
 * Call under the start lock. `deadline`: milliseconds of `performance.now()`.
 */
export async function adoptServer({ home }: ClusterPaths, deadline: number): Promise<string | undefined> {
  const cluster = join(home, CLUSTER)
  if (!existsSync(cluster)) return undefined
  return await waitUntilReady(cluster, () => !findPostmaster(cluster), deadline)
}

/**
 * Starts a server where none runs, after making what is missing, and returns its URL once it takes
 * connections. Call under the start lock. `settings`: PostgreSQL's; `fsync: 'off'` makes the first start
 * hasty too.
 * @throws with the end of the server's log when it does not come up before the deadline
 */
export async function startServer(
  places: ClusterPaths,
  programs: PostgresPackage,
  settings: Record<string, string>,
  log: Log,
  deadline: number,
): Promise<string> {
  const { home } = places
  const cluster = join(home, CLUSTER)
  const user = existsSync(cluster) ? clusterOwner(cluster) : newServerUser()
  const binaries = await prepareBinaries(programs, places, user, log)
  await removeUnfinished(home)
  if (!clusterExists(cluster, binaries)) {
    await createCluster(home, binaries, user, settings.fsync !== 'off')
    linkCluster(places)
  }
  const socketDir = placeSocket(places, user, log)
  const logFile = join(home, 'postgres.log')
  for (;;) {
    const server = launchPostmaster({ binaries, cluster, socketDir, logFile, user, settings })
    const url = await waitUntilReady(cluster, server.isGone, deadline).catch((cause: Error) => {
      server.stop()
      throw new Error(`${cause.message}; the end of its log:\n${tail(logFile)}`, { cause })
    })
    if (url) return url
    const end = tail(logFile)
    if (!end.includes(STILL_IN_USE) || performance.now() > deadline) {
      throw new Error(`PostgreSQL in ${cluster} did not start; the end of its log:\n${end}`)
    }
    await delay(RETRY_MS)
  }
}

/**
 * Renames a cluster that lies outside `directory` if `directory` has no link to it. An operator who removed the
 * data folder wants to begin anew, but the cluster it pointed to is not ours to delete. Call under the start lock.
 */
export async function setOrphanAside(
  { directory, home }: ClusterPaths,
  log: Log,
  deadline: number,
): Promise<void> {
  const cluster = join(home, CLUSTER)
  const isKnown = lstatSync(join(directory, CLUSTER), { throwIfNoEntry: false }) !== undefined
  if (isKnown || !existsSync(cluster)) return
  await stopPostmaster(cluster, deadline)
  const aside = `${cluster}.left-${Date.now()}`
  renameSync(cluster, aside)
  log(`the database of a removed ${directory} is set aside in ${aside}`)
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-15).join('\n')
}
