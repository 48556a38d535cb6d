import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Environment, Result, RunOptions } from './command-line.ts'

const root = join(import.meta.dirname, '..')

/** Starts the command line in a process. */
export const startProcess = (words: readonly string[], env: Environment = {}) =>
  spawn(process.execPath, [join(root, 'app/cli.ts'), ...words], {
    cwd: root,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  })

export const readResult = async (child: ReturnType<typeof startProcess>): Promise<Result> => {
  const [stdout, stderr, code] = await Promise.all([
    child.stdout.setEncoding('utf8').toArray(),
    child.stderr.setEncoding('utf8').toArray(),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ])
  return { code, stdout: stdout.join(''), stderr: stderr.join('') }
}

export const runProcess = (
  words: readonly string[],
  { env, input = '' }: RunOptions = {},
): Promise<Result> => {
  const child = startProcess(words, env)
  // The process may end without reading its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return readResult(child)
}
