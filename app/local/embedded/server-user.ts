import { chmodSync, lchownSync, lstatSync, mkdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

/** `ids` are options for spawn, as signed 32-bit integers; empty for this process's user. */
export type ServerUser = { name: string; ids: { uid?: number; gid?: number } }

export const ownUid = process.getuid?.() ?? -1

// Only initdb fails for a user id without a name, which is common in containers. The server runs without one.
const requireName = (): void => {
  if (ownUid < 0) return
  try {
    userInfo()
  } catch (cause) {
    throw new Error(
      `the bundled PostgreSQL cannot create its data as user id ${ownUid}, which has no name: set DATABASE_URL to a ` +
        'PostgreSQL of your own, or add the user id to /etc/passwd',
      { cause },
    )
  }
}

/** Returns this user or, for root, `postgres` or `nobody`. Throws if the system has no account for it. */
export const newServerUser = (): ServerUser => {
  if (ownUid !== 0) {
    requireName()
    return { name: `uid ${ownUid}`, ids: {} }
  }
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const wanted of ['postgres', 'nobody']) {
    const [name, , uid, gid] = accounts.find(([account]) => account === wanted) ?? []
    if (name && Number(uid)) return { name, ids: { uid: Number(uid) | 0, gid: Number(gid) | 0 } }
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no user "postgres" or "nobody": ' +
      'start as another user or set DATABASE_URL',
  )
}

/** Returns the owner of a cluster, as whom its server must run. Throws if this process cannot do that. */
export const clusterOwner = (cluster: string): ServerUser => {
  const { uid, gid } = lstatSync(cluster)
  if (uid === ownUid && uid !== 0) return { name: `uid ${uid}`, ids: {} }
  if (uid !== 0 && ownUid === 0) return { name: `uid ${uid}`, ids: { uid: uid | 0, gid: gid | 0 } }
  throw new Error(
    uid === 0
      ? `the database in ${cluster} belongs to root, as whom PostgreSQL does not run: give it to another user`
      : `the database in ${cluster} belongs to uid ${uid}: start as that user, or name another DATA_DIR`,
  )
}

/** Creates a folder for the server's user only. The parent must exist. Other users must not write to it. */
export const makeServerFolder = (path: string, user: ServerUser): void => {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  chmodSync(path, 0o700)
  const { uid, gid } = user.ids
  if (uid !== undefined && gid !== undefined) lchownSync(path, uid >>> 0, gid >>> 0)
}
