import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Disk = {
  /** An empty folder on the disk, owned by the owner of the database. */
  folder: string
  fill(): void
  free(): void
  remove(): void
}

const prefix = 'certdata-faults-disk-'
const sizeMegabytes = 128
const chunk = Buffer.alloc(2 ** 16)

const unmount = (folder: string) => {
  execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' })
  rmSync(folder, { recursive: true, force: true })
}

/** Removes the disks of killed checks. */
const removeAbandoned = () => {
  for (const name of readdirSync(tmpdir())) {
    const owner = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : 0
    if (owner && !existsSync(`/proc/${owner}`)) unmount(join(tmpdir(), name))
  }
}

const append = (file: string, bytes: Buffer): boolean => {
  try {
    writeFileSync(file, bytes, { flag: 'a' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    return false
  }
}

/** Mounts a tmpfs for this owner. Returns `undefined` if this process may not mount. */
export const mountDisk = ({ uid, gid }: { uid: number; gid: number }): Disk | undefined => {
  if (process.getuid?.() !== 0) return undefined
  removeAbandoned()
  const mount = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  try {
    const options = `size=${sizeMegabytes}m,mode=0755`
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', mount], { stdio: 'ignore' })
  } catch {
    rmSync(mount, { recursive: true, force: true })
    return undefined
  }
  const folder = join(mount, 'data')
  mkdirSync(folder, { mode: 0o700 })
  chownSync(folder, uid, gid)
  const filler = join(mount, 'filler')
  const remove = () => {
    process.removeListener('exit', remove)
    unmount(mount)
  }
  process.once('exit', remove)
  return {
    folder,
    fill() {
      while (append(filler, chunk));
    },
    free: () => rmSync(filler, { force: true }),
    remove,
  }
}
