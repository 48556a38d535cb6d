import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ownUid } from './server-user.ts'

/** Mode of the folders around the server's. Root lets other users traverse them to private folders. */
export const FOLDER_MODE = ownUid === 0 ? 0o711 : 0o700

/**
 * Returns a private folder with a short plain path, named after a hash of `directory`, and creates it if
 * missing. Root's is in /var/lib, because systems delete old files of /var/tmp. Throws if another user has
 * created that name, or no such folder can be created.
 */
export function shortFolder(directory: string): string {
  const causes: unknown[] = []
  for (const folder of candidates(directory)) {
    try {
      mkdirSync(folder, { mode: FOLDER_MODE })
      chmodSync(folder, FOLDER_MODE)
      return folder
    } catch (error) {
      causes.push(error)
    }
    if (lstatSync(folder, { throwIfNoEntry: false })) {
      assertOurs(folder)
      return folder
    }
  }
  const names = candidates(directory).join(' or ')
  throw new AggregateError(causes, `${names} cannot be made: name another folder in DATA_DIR`)
}

/** Existing short folders of `directory` that this user owns. Creates none. */
export function listShortFolders(directory: string): string[] {
  return candidates(directory).filter((path) => existsSync(path) && lstatSync(path).uid === ownUid)
}

/**
 * Throws if other users can write to a folder or have created it: in a world-writable place they could plant
 * a link, and root would write files there.
 */
export function assertOurs(folder: string): void {
  const found = lstatSync(folder)
  if (found.isDirectory() && found.uid === ownUid && !(found.mode & 0o022)) return
  throw new Error(
    `${folder} is not a folder that only uid ${ownUid} can write: remove it or name another DATA_DIR`,
  )
}

function candidates(directory: string): string[] {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 16)
  return ['/var/lib', '/var/tmp'].map((base) => join(base, `certdata-${hash}`))
}
