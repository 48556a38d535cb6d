import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Runs a program of Debian's; undefined: it is not installed, which only a machine of our own may be without. */
export const run = (program: string, args: string[]) => {
  const { error, status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
  if (error && process.env.REQUIRE_REDIS !== '1') return undefined
  return { status, output: error?.message ?? stdout + stderr }
}
