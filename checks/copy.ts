import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const testSeconds = 420

/** Copies the files that git lists, as they are now, into an existing folder. It shares `node_modules`. */
export const createCopy = (folder: string): void => {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 } as const
  for (const path of execFileSync('git', ['ls-files'], options).split('\n').filter(Boolean)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

/** Runs Node in the copy. Prints the end of its output if it fails. */
export const runInCopy = (
  folder: string,
  words: readonly string[],
  env: Record<string, string> = {},
): boolean => {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, TAP_TIMEOUT: String(testSeconds), ...env },
  })
  if (status !== 0) process.stdout.write(`${stdout}\n${stderr}`.split('\n').slice(-60).join('\n'))
  return status === 0
}
