import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { newServerUser, ownUid } from './server-user.ts'

// sun_path holds 108 bytes on Linux and 104 on macOS, with the closing zero.
const SOCKET_PATH_BYTES = process.platform === 'darwin' ? 103 : 107
const SOCKET_NAME = '.s.PGSQL.5432'

// PostgreSQL's MAXPGPATH is 1,024 for any path below the cluster; it cuts longer ones silently.
const CLUSTER_PATH_BYTES = 800

// Others pass through to the server's folder, which is closed to all but the server, and list nothing.
const FOLDER_MODE = ownUid === 0 ? 0o711 : 0o700

/** What the folder of the cluster is called inside `home`. */
export const CLUSTER = 'postgres'

/**
 * Where one instance lies. `directory`: the resolved data folder, ours. `home`: the folder around the cluster,
 * with locks and log; `directory` itself unless `moved` says (for people) why the server cannot work there.
 */
export type Places = { directory: string; home: string; moved?: string }

/**
 * Finds, and makes if missing, the folders of the instance in `dataDir` (absolute). A cluster is where it was
 * first made: in `dataDir`, or where the link `dataDir/postgres` points.
 * @throws when the folder cannot be made, is closed to the server although its data lie there, or has vanished
 */
export function findPlaces(dataDir: string): Places {
  const directory = makeDirectory(dataDir)
  const cluster = join(directory, CLUSTER)
  const found = lstatSync(cluster, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) {
    const home = dirname(readlinkSync(cluster))
    if (!existsSync(cluster)) {
      throw new Error(`${home}, where ${cluster} points, is gone: restore it, or remove that link to begin anew`)
    }
    assertOurs(home)
    return { directory, home, moved: 'moved at its first start' }
  }
  const obstacle = obstacleIn(directory)
  if (!obstacle) return { directory, home: directory }
  if (found) throw new Error(`${obstacle}, but its database is there: open the way or name another DATA_DIR`)
  return { directory, home: shortFolder(directory), moved: obstacle }
}

/** Makes `directory` remember that its cluster lies in another `home`. */
export function linkCluster({ directory, home }: Places): void {
  if (home !== directory) symlinkSync(join(home, CLUSTER), join(directory, CLUSTER))
}

/** Whether the socket of a server may lie in the folder: longer paths than the kernel's cannot be bound. */
export function fitsSocket(folder: string): boolean {
  return Buffer.byteLength(join(folder, SOCKET_NAME)) <= SOCKET_PATH_BYTES
}

/**
 * A folder with a short path without special characters, named after a hash of `directory`; made if missing, and
 * writable by this user alone. In /var/lib where that is allowed (root): nobody else can take a name there, and
 * systems clean /var/tmp of files not used for a month.
 * @throws when somebody else has taken the name or no such folder can be made
 */
export function shortFolder(directory: string): string {
  let failure: unknown
  for (const folder of shortFolders(directory)) {
    try {
      mkdirSync(folder, { mode: FOLDER_MODE })
      chmodSync(folder, FOLDER_MODE)
      return folder
    } catch (error) {
      failure = error
    }
    if ((failure as NodeJS.ErrnoException).code === 'EEXIST') {
      assertOurs(folder)
      return folder
    }
  }
  throw new Error(`no short folder for PostgreSQL beside ${directory}`, { cause: failure })
}

/** Removes everything that lies in the places; nothing may run there. */
export function removePlaces({ directory, home }: Places): void {
  const short = shortFolders(directory).filter((path) => existsSync(path) && lstatSync(path).uid === ownUid)
  for (const path of [...short, home, directory]) rmSync(path, { recursive: true, force: true })
}

function shortFolders(directory: string): string[] {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 16)
  return ['/var/lib', '/var/tmp'].map((base) => join(base, `certdata-${hash}`))
}

function makeDirectory(path: string): string {
  if (!existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true })
    mkdirSync(path, { recursive: true, mode: FOLDER_MODE })
    chmodSync(path, FOLDER_MODE)
  }
  return realpathSync(path)
}

// In a world-writable folder anybody may have made the name first, or planted a link: root would then write,
// and give files away, where the other one wants it.
function assertOurs(folder: string): void {
  const { uid, mode } = lstatSync(folder)
  if (!lstatSync(folder).isDirectory() || uid !== ownUid || mode & 0o022) {
    throw new Error(`${folder} is not a folder that only uid ${ownUid} can write: remove it or name another DATA_DIR`)
  }
}

function obstacleIn(directory: string): string | undefined {
  if (/[\n\r]/.test(directory) || Buffer.byteLength(directory) > CLUSTER_PATH_BYTES) {
    return `PostgreSQL cannot work with the path of ${directory}`
  }
  if (ownUid !== 0) return undefined
  const cluster = statSync(join(directory, CLUSTER), { throwIfNoEntry: false })
  const user = cluster?.uid ? { name: `uid ${cluster.uid}`, ids: { uid: cluster.uid | 0 } } : newServerUser()
  // Asked of the kernel, since mode bits do not tell of access lists and the like.
  const { status } = spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', directory], { ...user.ids, cwd: '/' })
  return status === 0 ? undefined : `the user ${user.name}, as whom PostgreSQL runs, cannot reach ${directory}`
}
