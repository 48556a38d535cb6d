import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const build = 'go.k6.io/k6@v1.8.1'
/** Longer than every script, unless DURATION is longer. */
const limitMs = Number(process.env.K6_LIMIT_SECONDS ?? 2_400) * 1000

const findProgram = (name: string, folders: readonly string[]) =>
  folders.map((folder) => join(folder, name)).find(existsSync)

/**
 * Returns the path of k6: from `K6`, the PATH or Go's folder of programs. If k6 is not installed, builds it,
 * which takes minutes.
 */
export const findK6 = (): string => {
  if (process.env.K6) return process.env.K6
  const path = (process.env.PATH ?? '').split(delimiter)
  const go = findProgram('go', path)
  const goFolder = go
    ? join(execFileSync(go, ['env', 'GOPATH'], { encoding: 'utf8' }).trim(), 'bin')
    : undefined
  const folders = goFolder ? [...path, goFolder] : path
  const found = findProgram('k6', folders)
  if (found) return found
  if (!go || !goFolder)
    throw new Error('k6 is not installed, and neither is go to build it: install one of them')
  console.error(`Building k6 (go install ${build}): this takes minutes, once`)
  execFileSync(go, ['install', build], { stdio: 'inherit', env: { ...process.env, GOBIN: goFolder } })
  return join(goFolder, 'k6')
}

/** Runs a script with options of k6. Resolves with its exit code. */
export const runK6 = async (script: string, options: readonly string[], env: Record<string, string>) => {
  const child = spawn(findK6(), ['run', ...options, join(import.meta.dirname, `${script}.js`)], {
    stdio: 'inherit',
    env: { ...process.env, ...env, K6_NO_USAGE_REPORT: 'true' },
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(limit)
  return code ?? 1
}
