import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type PostgresPackage, prepareBinaries } from './binaries.ts'
import { clusterExists, createCluster, removeUnfinished } from './cluster.ts'
import { type ClusterPaths, clusterName, prepareLink, prepareSocketFolder } from './cluster-paths.ts'
import { findPostmaster, launchPostmaster, waitUntilReady } from './postmaster.ts'
import { withRemedy } from './remedy.ts'
import { clusterOwner, newServerUser } from './server-user.ts'

// Children of a killed postmaster take a moment to exit, and hold the shared memory until then.
const stillInUse = 'pre-existing shared memory block'
const retryMs = 50

type Log = (message: string) => void

type ServerOptions = {
  paths: ClusterPaths
  programs: PostgresPackage
  settings: Record<string, string>
  log: Log
}

/** Returns a ready server's URL, `undefined` if none runs. Throws at the deadline. Needs the start lock. */
export const adoptServer = async ({ home }: ClusterPaths, deadline: number): Promise<string | undefined> => {
  const cluster = join(home, clusterName)
  if (!existsSync(cluster)) return undefined
  return await waitUntilReady(cluster, () => !findPostmaster(cluster), deadline)
}

const readTail = (file: string): string =>
  readFileSync(file, 'utf8').trimEnd().split('\n').slice(-15).join('\n')

/**
 * Creates missing files, starts a server and returns its URL once it accepts connections. Needs the start
 * lock. Throws with the end of the server's log if it exits, or at the deadline (of `performance.now()`).
 */
export const startServer = async (
  { paths, programs, settings, log }: ServerOptions,
  deadline: number,
): Promise<string> => {
  const { home } = paths
  const cluster = join(home, clusterName)
  const user = existsSync(cluster) ? clusterOwner(cluster) : newServerUser()
  const binaries = await prepareBinaries(programs, paths, user, log)
  removeUnfinished(home)
  if (!clusterExists(cluster, binaries)) {
    const link = prepareLink(paths)
    await createCluster(home, binaries, user, settings.fsync !== 'off')
    link()
  }
  const socketDir = prepareSocketFolder(paths, user, log)
  const logFile = join(home, 'postgres.log')
  for (;;) {
    const server = launchPostmaster({ binaries, cluster, socketDir, logFile, user, settings })
    const url = await waitUntilReady(cluster, server.isGone, deadline).catch((cause: Error) => {
      server.stop()
      throw new Error(`${cause.message}; the end of its log:\n${readTail(logFile)}`, { cause })
    })
    if (url) return url
    const end = readTail(logFile)
    if (!end.includes(stillInUse) || performance.now() > deadline) {
      throw new Error(
        withRemedy(`PostgreSQL in ${cluster} did not start`, { message: `the end of its log:\n${end}` }),
      )
    }
    await delay(retryMs)
  }
}
