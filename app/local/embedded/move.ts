import { execFile } from 'node:child_process'
import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { unfinishedPrefix } from './cluster.ts'
import { type ClusterPaths, clusterName, finishLink, hasInstance, prepareLink } from './cluster-paths.ts'
import { stopPostmaster } from './postmaster.ts'
import { withRemedy } from './remedy.ts'

const run = promisify(execFile)

type Log = (message: string) => void

const setAside = async (cluster: string, deadline: number): Promise<string> => {
  await stopPostmaster(cluster, deadline)
  const aside = `${cluster}.left-${Date.now()}`
  renameSync(cluster, aside)
  return aside
}

/**
 * Renames a cluster outside `directory` that has no link from there: an operator who removed the data folder
 * wants a new database, and the old one must not be lost. Needs the start lock.
 */
export const setOrphanAside = async (
  { directory, home }: ClusterPaths,
  log: Log,
  deadline: number,
): Promise<void> => {
  const cluster = join(home, clusterName)
  if (hasInstance(directory) || !existsSync(cluster)) return
  log(`the database of a removed ${directory} is set aside in ${await setAside(cluster, deadline)}`)
}

const toMoved = (source: string) => `${source}.moved`

const isOnOtherDevice = (cause: unknown) => (cause as NodeJS.ErrnoException).code === 'EXDEV'

// The next start removes an unfinished copy. Before the copy is on disk, the source keeps its name.
const copyFolder = async (source: string, home: string): Promise<void> => {
  const copy = join(home, `${unfinishedPrefix}copy`)
  try {
    rmSync(copy, { recursive: true, force: true })
    await run('cp', ['-a', source, copy])
    await run('sync')
  } catch (cause) {
    rmSync(copy, { recursive: true, force: true })
    throw new Error(withRemedy(`the database in ${source} cannot be copied to ${home}`, cause as Error), {
      cause,
    })
  }
  renameSync(copy, join(home, clusterName))
  renameSync(source, toMoved(source))
}

const moveFolder = async (source: string, home: string): Promise<void> => {
  try {
    renameSync(source, join(home, clusterName))
  } catch (cause) {
    if (!isOnOtherDevice(cause)) throw cause
    await copyFolder(source, home)
  }
}

/**
 * Moves a stopped cluster in `directory` to `home`, if they differ: a restored copy has a folder in place of
 * the link. Sets aside a cluster that is in `home` already. Leaves the cluster if `home` has too little space.
 * Needs the start lock.
 */
export const moveCluster = async (paths: ClusterPaths, log: Log, deadline: number): Promise<void> => {
  const { directory, home } = paths
  if (home === directory) return
  finishLink(paths)
  const source = join(directory, clusterName)
  if (lstatSync(source, { throwIfNoEntry: false })?.isDirectory()) {
    const cluster = join(home, clusterName)
    const aside = existsSync(cluster) ? await setAside(cluster, deadline) : undefined
    if (aside) log(`the previous database of ${directory} is set aside in ${aside}`)
    const link = prepareLink(paths)
    await moveFolder(source, home)
    link()
    log(`the database in ${directory} was moved to ${home}`)
  }
  rmSync(toMoved(source), { recursive: true, force: true })
}
