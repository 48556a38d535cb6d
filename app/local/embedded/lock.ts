import { closeSync, openSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

const sqliteBusy = 5

// A garbage-collected database would release its lock.
const held = new Set<DatabaseSync>()

export type Unlock = () => void

// Never opens an existing file: closing any descriptor of a file drops all fcntl locks of this process on it.
const createFile = (path: string): void => {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

const readInode = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/**
 * Locks a file and returns the function that releases it; `undefined` if another lock conflicts, or the file
 * was just removed. The end of the process releases it, too. Throws if the file cannot be opened. Node has
 * no flock(2), but SQLite uses record locks (fcntl), which work across containers on one volume.
 */
export const tryLock = (path: string, mode: 'exclusive' | 'shared'): Unlock | undefined => {
  createFile(path)
  const inode = readInode(path)
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('pragma journal_mode = memory')
    database.exec(mode === 'exclusive' ? 'begin exclusive' : 'begin; select 1 from sqlite_schema')
  } catch (error) {
    database.close()
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined
    throw error
  }
  // A lock on a removed file excludes no other process.
  if (inode === undefined || readInode(path) !== inode) {
    database.close()
    return undefined
  }
  held.add(database)
  return () => {
    if (held.delete(database)) database.close()
  }
}
