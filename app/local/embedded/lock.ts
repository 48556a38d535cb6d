import { closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

// An open lock that nothing refers to would be collected, and closed with it.
const held = new Set<DatabaseSync>()

/** Gives the lock back; a second call does nothing. */
export type Unlock = () => void

/**
 * Takes a lock on the file `path` (made if missing, its folder must exist) and keeps it until the returned
 * function is called or the process ends. Undefined when another holder is in the way: never waits.
 *
 * Node has no flock(2). SQLite takes real record locks of the kernel (fcntl) on its file, so a holder's
 * death, SIGKILL included, frees them at once, and no process id has to be judged dead or alive: two
 * containers on one volume, or an id used again, cannot fool it. The file never gets any content.
 * @throws when the file cannot be opened: missing folder (ENOENT), somebody else's file (SQLite's error)
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
