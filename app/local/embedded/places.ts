import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { clusterOwner, makeServerFolder, newServerUser, ownUid, type ServerUser } from './server-user.ts'
import { assertOurs, FOLDER_MODE, listShortFolders, shortFolder } from './short-folder.ts'

// sun_path holds 108 bytes on Linux and 104 on macOS, with the closing zero.
const SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107
const SOCKET_NAME = '.s.PGSQL.5432'

// PostgreSQL's MAXPGPATH is 1,024 for any path below the cluster; it cuts longer ones silently.
const DIRECTORY_PATH_BYTES = 800

/** What the folder of the cluster is called inside `home`. */
export const CLUSTER = 'postgres'

/** Each needs another process to remove the folder at that very moment. */
const MAKE_TRIES = 5

/**
 * Where one instance lies. `directory`: the resolved data folder, ours. `home`: the folder around the
 * cluster, with locks and log; `directory` itself unless `moved` says (for people) why it cannot be there.
 */
export type ClusterPaths = { directory: string; home: string; moved?: string }

/**
 * Returns the folders of the instance in `dataDir` (absolute), and creates missing ones. A cluster stays where it
 * was first created: in `dataDir`, or where the link `dataDir/postgres` points.
 * @throws when the folder cannot be made, is closed to the server although its data lie there, or is gone
 */
export function findPlaces(dataDir: string): ClusterPaths {
  const directory = makeDirectory(dataDir)
  const cluster = join(directory, CLUSTER)
  const found = lstatSync(cluster, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) {
    const home = dirname(readlinkSync(cluster))
    if (!existsSync(cluster)) {
      throw new Error(
        `${home}, where ${cluster} points, is gone: restore it, or remove the link to begin anew`,
      )
    }
    assertOurs(home)
    return { directory, home, moved: `PostgreSQL could not work in ${directory} at its first start` }
  }
  const folder = identityOf(directory)
  const obstacle = obstacleIn(directory, found ? clusterOwner(cluster) : newServerUser())
  if (!obstacle) return { directory, home: directory }
  // Nothing is locked yet: the last to leave a temporary instance may just have removed it, and the next made another.
  const isSame = folder !== undefined && folder === identityOf(directory)
  if (!isSame || lstatSync(cluster, { throwIfNoEntry: false })?.ino !== found?.ino) return findPlaces(dataDir)
  if (found) {
    throw new Error(`${obstacle}, but its database is there: open the way or name another DATA_DIR`)
  }
  return { directory, home: shortFolder(directory), moved: obstacle }
}

/** Whether `dataDir` (absolute) has an instance. Creates nothing. */
export function hasInstance(dataDir: string): boolean {
  return lstatSync(join(dataDir, CLUSTER), { throwIfNoEntry: false }) !== undefined
}

/** Makes `directory` remember that its cluster lies in another `home`. */
export function linkCluster({ directory, home }: ClusterPaths): void {
  if (home !== directory) symlinkSync(join(home, CLUSTER), join(directory, CLUSTER))
}

/**
 * Returns the folder for the server's socket. Usually it is the cluster's own folder, which only the server's user
 * and root can enter. If that makes the socket's path too long for the kernel, it is a similar folder with a short
 * path, and a log line says so.
 */
export function placeSocket(
  { directory, home }: ClusterPaths,
  user: ServerUser,
  log: (message: string) => void,
): string {
  const cluster = join(home, CLUSTER)
  if (Buffer.byteLength(join(cluster, SOCKET_NAME)) <= SOCKET_PATH_BYTES) return cluster
  const folder = join(shortFolder(directory), 'socket')
  makeServerFolder(folder, user)
  log(`the path of ${home} is too long for a socket: PostgreSQL's is in ${folder}`)
  return folder
}

/** Removes everything that lies in the places; nothing may run there. */
export function removePlaces({ directory, home }: ClusterPaths): void {
  for (const path of [...listShortFolders(directory), home, directory]) {
    rmSync(path, { recursive: true, force: true })
  }
}

/** Whether programs may lie there: initdb puts their path in double quotes into commands for the shell. */
export function isPlainPath(path: string): boolean {
  return !/["$`\\\n\r]/.test(path)
}

// With its mode, which its maker sets after it is there.
function identityOf(folder: string): string | undefined {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found && `${found.ino} ${found.mode}`
}

function makeDirectory(path: string): string {
  for (let tries = 1; ; tries++) {
    try {
      if (!existsSync(path)) {
        mkdirSync(path, { recursive: true })
        chmodSync(path, FOLDER_MODE)
      }
      return realpathSync(path)
    } catch (error) {
      // The last to leave a temporary instance removes it, perhaps between two of these lines.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === MAKE_TRIES) throw error
    }
  }
}

function obstacleIn(directory: string, user: ServerUser): string | undefined {
  if (/[\n\r]/.test(directory) || Buffer.byteLength(directory) > DIRECTORY_PATH_BYTES) {
    return `PostgreSQL cannot work with the path of ${directory}`
  }
  if (ownUid !== 0) return undefined
  // Asked of the kernel, since mode bits do not tell of access lists and the like.
  const { status } = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory], { ...user.ids, cwd: '/' })
  return status === 0 ? undefined : `${user.name}, as whom PostgreSQL runs, cannot reach ${directory}`
}
