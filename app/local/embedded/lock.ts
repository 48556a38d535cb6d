import { closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

// An open lock that nothing refers to would be collected, and closed with it.
const held = new Set<DatabaseSync>()

/** Gives the lock back; a second call does nothing. */
export type Unlock = () => void

/**
 * Takes a lock on the file `path` and returns the function that releases it. The end of the process releases it,
 * too. Creates the file if needed; its folder must exist. Returns undefined at once if another holder is in the
 * way.
 * Node has no flock(2), but SQLite takes record locks of the kernel (fcntl) on its file. The kernel frees them when
 * the holder dies, even by SIGKILL. No process id has to be judged dead or alive, so reused ids and two containers
 * on one volume cause no mistake. The file stays empty.
 * @throws when the file cannot be opened: missing folder (ENOENT), another user's file (SQLite's error)
 */
export function tryLock(path: string, mode: 'exclusive' | 'shared'): Unlock | undefined {
  createFile(path)
  const inode = inodeOf(path)
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('pragma journal_mode = memory')
    database.exec(mode === 'exclusive' ? 'begin exclusive' : 'begin; select 1 from sqlite_schema')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined
    throw error
  }
  // Somebody may have removed the file in between: a lock on a nameless file excludes nobody.
  if (inode === undefined || inodeOf(path) !== inode) {
    database.close()
    return undefined
  }
  held.add(database)
  return () => {
    if (held.delete(database)) database.close()
  }
}

// Not opened when it exists: closing any descriptor of a file drops all fcntl locks of this process on it.
function createFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino
}
