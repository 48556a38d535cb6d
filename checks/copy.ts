import { type ExecFileException, execFile, execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const longestRunMs = 420_000
const mostOutputBytes = 2 ** 28
const mostFaultLines = 60

/** Lists the files that git knows. */
export const listProjectFiles = (): string[] => {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: mostOutputBytes } as const
  return execFileSync('git', ['ls-files'], options).split('\n').filter(Boolean)
}

/** Copies the files that git lists, as they are now, into an existing folder. It shares `node_modules`. */
export const createCopy = (folder: string): void => {
  for (const path of listProjectFiles()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    cpSync(join(root, path), join(folder, path))
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

/** Returns the failed assertions of a test's output with their details, or the end of any other output. */
const listFaults = (output: string): string => {
  const lines = output.split('\n')
  const at = lines.findIndex((line) => /^\s*not ok /.test(line))
  return (at === -1 ? lines.slice(-mostFaultLines) : lines.slice(at, at + mostFaultLines)).join('\n')
}

/** Runs Node in the copy. Resolves with true if it succeeds, and otherwise prints the failure. */
export const runInCopy = (
  folder: string,
  words: readonly string[],
  env: Record<string, string> = {},
): Promise<boolean> => {
  const options = {
    cwd: folder,
    maxBuffer: mostOutputBytes,
    timeout: longestRunMs,
    env: { ...process.env, TAP_TIMEOUT: String(longestRunMs / 1000), ...env },
  }
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const done = (fault: ExecFileException | null, stdout: string, stderr: string) => {
    if (fault) process.stdout.write(`${listFaults(`${stdout}\n${stderr}`)}\n`)
    resolve(!fault)
  }
  execFile(process.execPath, words, options, done)
  return promise
}
