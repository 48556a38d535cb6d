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
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'
import { CLUSTER } from './places.ts'
import { serverEnvironment } from './postmaster.ts'
import { makeServerFolder, type ServerUser } from './server-user.ts'

const run = promisify(execFile)

const UNFINISHED = `${CLUSTER}.new-`

/**
 * True if the folder contains a cluster of the same major version as the programs.
 * @throws if its major version differs: PostgreSQL must not touch its data then
 */
export function clusterExists(cluster: string, { major }: Binaries): boolean {
  if (!existsSync(join(cluster, 'PG_VERSION'))) return false
  const made = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (made === String(major)) return true
  throw new Error(
    `the database in ${cluster} was made by PostgreSQL ${made}, the bundled one is ${major}: export it ` +
      'with the version that made it, or move that folder away to begin anew',
  )
}

/**
 * Creates an empty cluster in `home`. It gets its final name when it is complete, so a partial cluster is
 * never used. Its owner role is `certdata`. On every system, text is sorted by code point and case is folded
 * by Unicode (PostgreSQL's own C.UTF-8). Authentication is `trust`, on the local socket only. Only the
 * server's user and root can enter the socket's folder, and both can read the files anyway. `peer` would add
 * no protection, and fails for user ids without a name, which are common in containers.
 */
export async function createCluster(
  home: string,
  binaries: Binaries,
  user: ServerUser,
  durable: boolean,
): Promise<void> {
  const unfinished = mkdtempSync(join(home, UNFINISHED))
  makeServerFolder(unfinished, user)
  const options = ['--pgdata', unfinished, '--username=certdata', '--auth-local=trust', '--auth-host=reject']
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const rest = durable ? ['--no-instructions'] : ['--no-instructions', '--no-sync']
  const env = serverEnvironment(unfinished)
  await run(join(binaries.folder, 'bin', 'initdb'), [...options, ...locale, ...rest], {
    ...user.ids,
    cwd: '/',
    env,
  })
  renameSync(unfinished, join(home, CLUSTER))
  if (durable) syncFolder(home)
}

/**
 * Removes remains of interrupted first starts from `home`, as far as possible. An initdb whose parent was
 * killed may still write there for a second; the next start removes the rest.
 */
export async function removeUnfinished(home: string): Promise<void> {
  for (const name of readdirSync(home).filter((entry) => entry.startsWith(UNFINISHED))) {
    await rm(join(home, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }).catch(
      () => {},
    )
  }
}

// Without it, the unfinished name could reappear after a power failure, and be removed as incomplete.
function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
