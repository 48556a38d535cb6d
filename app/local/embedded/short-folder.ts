import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ownUid } from './server-user.ts'

/** Mode of folders above the server's. If we are root, the server's user is another one and must get in. */
export const folderMode = ownUid === 0 ? 0o711 : 0o700

const listCandidates = (directory: string): string[] => {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 16)
  return ['/var/lib', '/var/tmp'].map((base) => join(base, `certdata-${hash}`))
}

/**
 * Returns a folder with a short plain path for files that PostgreSQL cannot use in `directory`. Prefers
 * /var/lib: systems delete old files of /var/tmp. Throws if it cannot create one, or `assertOurs` fails.
 */
export const shortFolder = (directory: string): string => {
  const causes: unknown[] = []
  for (const folder of listCandidates(directory)) {
    try {
      mkdirSync(folder, { mode: folderMode })
      chmodSync(folder, folderMode)
      return folder
    } catch (error) {
      causes.push(error)
    }
    if (lstatSync(folder, { throwIfNoEntry: false })) {
      assertOurs(folder)
      return folder
    }
  }
  const names = listCandidates(directory).join(' or ')
  throw new AggregateError(causes, `${names} cannot be made: name another folder in DATA_DIR`)
}

/** Lists the existing short folders of `directory` that this user owns. */
export const listShortFolders = (directory: string): string[] =>
  listCandidates(directory).filter((path) => existsSync(path) && lstatSync(path).uid === ownUid)

/** Throws unless only this user can write to the folder: others could plant a link in /var/tmp. */
export const assertOurs = (folder: string): void => {
  const found = lstatSync(folder)
  if (found.isDirectory() && found.uid === ownUid && !(found.mode & 0o022)) return
  throw new Error(
    `${folder} is not a folder that only uid ${ownUid} can write: remove it or name another DATA_DIR`,
  )
}
