import { execFile } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import { clusterName } from './cluster-paths.ts'
import { serverEnvironment } from './postmaster.ts'
import { withRemedy } from './remedy.ts'
import { makeServerFolder, type ServerUser } from './server-user.ts'

const run = promisify(execFile)

/** Starts the names of clusters that are not complete. */
export const unfinishedPrefix = `${clusterName}.new-`

/** Returns true if there is a cluster. Throws if another major version of PostgreSQL created it. */
export const clusterExists = (cluster: string, { major }: Binaries): boolean => {
  if (!existsSync(join(cluster, 'PG_VERSION'))) return false
  const made = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (made === String(major)) return true
  throw new Error(
    `the database in ${cluster} was made by PostgreSQL ${made}, the bundled one is ${major}: export it ` +
      'with that version, or move the folder away to start with an empty database',
  )
}

// Otherwise a power failure may undo the renaming, and the next start removes the cluster as unfinished.
const syncFolder = (path: string): void => {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/**
 * Creates an empty cluster, which gets its final name when it is complete. Authentication is `trust`, because
 * only the server's user and root can enter the socket's folder; `peer` fails for user ids without a name.
 */
export const createCluster = async (
  home: string,
  binaries: Binaries,
  user: ServerUser,
  durable: boolean,
): Promise<void> => {
  const unfinished = mkdtempSync(join(home, unfinishedPrefix))
  makeServerFolder(unfinished, user)
  const options = ['--pgdata', unfinished, '--username=certdata', '--auth-local=trust', '--auth-host=reject']
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const rest = durable ? ['--no-instructions'] : ['--no-instructions', '--no-sync']
  const env = serverEnvironment(unfinished)
  await run(join(binaries.folder, 'bin', 'initdb'), [...options, ...locale, ...rest], {
    ...user.ids,
    cwd: '/',
    env,
  }).catch((cause: Error) => {
    removeUnfinished(home)
    throw new Error(withRemedy(`PostgreSQL cannot create its database in ${home}`, cause), { cause })
  })
  renameSync(unfinished, join(home, clusterName))
  if (durable) syncFolder(home)
}

/** Removes remains of interrupted first starts. Ignores errors, because an initdb may still write there. */
export const removeUnfinished = (home: string): void => {
  for (const name of readdirSync(home).filter((entry) => entry.startsWith(unfinishedPrefix))) {
    try {
      rmSync(join(home, name), { recursive: true, force: true })
    } catch {}
  }
}
