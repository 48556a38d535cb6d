import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { withRemedy } from './remedy.ts'
import { clusterOwner, makeServerFolder, newServerUser, ownUid, type ServerUser } from './server-user.ts'
import { assertOurs, folderMode, listShortFolders, shortFolder } from './short-folder.ts'

// sun_path holds 108 bytes on Linux and 104 on macOS, including the final zero byte.
const maxSocketPathBytes = process.platform === 'darwin' ? 103 : 107
const socketName = '.s.PGSQL.5432'

// PostgreSQL's MAXPGPATH is 1,024 for any path below the cluster; it truncates longer paths silently.
const maxDirectoryPathBytes = 800

export const clusterName = 'postgres'

const maxTries = 5

/** `home` has the cluster, locks and log. It is the data folder, or another one for the reason `moved`. */
export type ClusterPaths = { directory: string; home: string; moved?: string }

// With the mode, because the creator of a folder sets it in a second step.
const readIdentity = (folder: string): string | undefined => {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found && `${found.ino} ${found.mode}`
}

const makeDirectory = (path: string): string => {
  for (let tries = 1; ; tries++) {
    try {
      if (!existsSync(path)) {
        mkdirSync(path, { recursive: true })
        chmodSync(path, folderMode)
      }
      return realpathSync(path)
    } catch (error) {
      // The last process that uses a temporary instance may remove the folder between two calls.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && tries < maxTries) continue
      throw new Error(withRemedy(`the data folder ${path} cannot be made`, error as Error), { cause: error })
    }
  }
}

const findObstacle = (directory: string, user: ServerUser): string | undefined => {
  if (/[\n\r]/.test(directory) || Buffer.byteLength(directory) > maxDirectoryPathBytes) {
    return `PostgreSQL cannot work with the path of ${directory}`
  }
  if (ownUid !== 0) return undefined
  // Mode bits do not show access control lists and similar rules.
  const { status } = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory], { ...user.ids, cwd: '/' })
  return status === 0 ? undefined : `${user.name}, as whom PostgreSQL runs, cannot reach ${directory}`
}

/**
 * Returns the folders of the instance in `dataDir` (absolute), and creates missing ones. A cluster stays at
 * its first location. A stopped one that the server cannot reach, such as a restored copy, gets a new `home`,
 * to which `moveCluster` moves it. Throws if it cannot create a folder, find a user for the server, or use the cluster.
 */
export const findClusterPaths = (dataDir: string): ClusterPaths => {
  const directory = makeDirectory(dataDir)
  const cluster = join(directory, clusterName)
  const found = lstatSync(cluster, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) {
    const target = resolve(directory, readlinkSync(cluster))
    const home = dirname(target)
    if (basename(target) !== clusterName) {
      throw new Error(
        `${cluster} points to ${target}: rename that folder to ${clusterName}, and renew the link`,
      )
    }
    if (!existsSync(cluster)) {
      throw new Error(
        `${home}, where ${cluster} points, does not exist: restore it, or remove the link to start with an empty database`,
      )
    }
    assertOurs(home)
    return { directory, home, moved: `PostgreSQL could not work in ${directory} at its first start` }
  }
  const folder = readIdentity(directory)
  const obstacle = findObstacle(directory, found ? clusterOwner(cluster) : newServerUser())
  if (!obstacle) return { directory, home: directory }
  // No lock is held yet: another process may have removed the folder and created it again.
  const isSame = folder !== undefined && folder === readIdentity(directory)
  if (!isSame || lstatSync(cluster, { throwIfNoEntry: false })?.ino !== found?.ino)
    return findClusterPaths(dataDir)
  // Only a server that stopped removes its file.
  if (found && existsSync(join(cluster, 'postmaster.pid'))) {
    throw new Error(
      `${obstacle}, but its database is there and did not stop: give it access, or set DATA_DIR to another folder`,
    )
  }
  return { directory, home: shortFolder(directory), moved: obstacle }
}

/** Returns true if `dataDir` (absolute) contains an instance. Creates nothing. */
export const hasInstance = (dataDir: string): boolean =>
  lstatSync(join(dataDir, clusterName), { throwIfNoEntry: false }) !== undefined

/**
 * Prepares the link from the data folder to a new cluster outside it, so that later starts find the cluster. Returns the
 * function that puts it in place. Call it before the cluster is created: without a link, each start would create another.
 */
export const prepareLink = ({ directory, home, moved }: ClusterPaths): (() => void) => {
  if (home === directory) return () => {}
  const link = join(directory, `${clusterName}.link`)
  try {
    rmSync(link, { force: true })
    symlinkSync(join(home, clusterName), link)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Error(
      `${moved}. Its database would be in ${home}, but ${directory} cannot have a link to it (${code}): ` +
        'name another folder in DATA_DIR, or set DATABASE_URL to a PostgreSQL of your own',
      { cause },
    )
  }
  return () => renameSync(link, join(directory, clusterName))
}

/** Puts a prepared link in place whose cluster is complete: a process was killed before it could. */
export const finishLink = ({ directory }: ClusterPaths): void => {
  const link = join(directory, `${clusterName}.link`)
  if (!hasInstance(directory) && existsSync(link)) renameSync(link, join(directory, clusterName))
}

/** Returns the folder for the server's socket: the cluster, or a private one if its path is too long. */
export const prepareSocketFolder = (
  { directory, home }: ClusterPaths,
  user: ServerUser,
  log: (message: string) => void,
): string => {
  const cluster = join(home, clusterName)
  if (Buffer.byteLength(join(cluster, socketName)) <= maxSocketPathBytes) return cluster
  const folder = join(shortFolder(directory), 'socket')
  makeServerFolder(folder, user)
  log(`the path of ${home} is too long for a socket: PostgreSQL's is in ${folder}`)
  return folder
}

/** Removes all files of an instance, which must not be running. */
export const removeClusterPaths = ({ directory, home }: ClusterPaths): void => {
  for (const path of [...listShortFolders(directory), home, directory]) {
    rmSync(path, { recursive: true, force: true })
  }
}

/** Returns false if initdb cannot run from this path, which it puts in double quotes into shell commands. */
export const isPlainPath = (path: string): boolean => !/["$`\\\n\r]/.test(path)
