import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A test file gets `factor` times its normal times, and these. `cpuSeconds` ends an endless loop, `ms` a promise that no
 * code resolves.
 */
const grace: TestTime = { cpuSeconds: 20, ms: 60_000 }
const factor = 4
/** For the first run of a file. */
const unmeasured: TestTime = { cpuSeconds: 60, ms: 120_000 }
const seed = '49'

/** `cpuSeconds`: of the file and its children. `ms`: by the clock. */
export type TestTime = Readonly<{ ms: number; cpuSeconds: number }>

export type TestRun = TestTime & Readonly<{ end: 'passed' | 'failed' | 'endless' | 'hung' }>

export type RunOptions = Readonly<{
  env?: Readonly<Record<string, string>>
  /** Words of a command that starts the test file. */
  prefix: readonly string[]
  /** The times of the unchanged file, if known. */
  normal?: TestTime
  limits?: TestTime
}>

const toLimits = (normal: TestTime): TestTime => ({
  cpuSeconds: Math.ceil(grace.cpuSeconds + factor * normal.cpuSeconds),
  ms: grace.ms + factor * normal.ms,
})

/** Lists a process and its descendants. They may be in other groups and sessions. */
const listTree = (pid: number): number[] => {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const found = [pid]
  for (const parent of found) for (const [child = 0, of] of rows) if (of === parent) found.push(child)
  return found
}

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

let running: number | undefined

const killTree = (pid: number): void => {
  for (const each of listTree(pid)) kill(each)
  kill(-pid)
}

process.once('exit', () => {
  if (running !== undefined) killTree(running)
})

const readSeconds = (file: string): number => {
  try {
    return Number.parseFloat(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}

/**
 * Runs a test file until its first failure. `endless`: a process reached the limit of processor time. `hung`: the file
 * reached the limit by the clock, which may be due to a busy machine. It and its descendants are killed then, and when
 * this process exits.
 */
export const runTest = async (
  folder: string,
  file: string,
  { env = {}, prefix, normal = unmeasured, limits = toLimits(normal) }: RunOptions,
): Promise<TestRun> => {
  const began = performance.now()
  const notes = mkdtempSync(join(tmpdir(), 'certdata-mutant-run-'))
  const times = join(notes, 'times')
  const processInfo = join(folder, 'node_modules/@tapjs/processinfo/dist/esm/import.mjs')
  const words = [
    // The kernel ends each process at this limit. Unlike a clock, it does not depend on other work.
    '-c',
    'ulimit -t "$0" && exec "$@"',
    String(limits.cpuSeconds),
    ...prefix,
    process.execPath,
    '--require=./test/preload.cjs',
    `--import=${processInfo}`,
    file,
  ]
  const fixed = {
    TAP: '1',
    TAP_BAIL: '1',
    TAP_TIMEOUT: '0',
    RANDOM_SEED: seed,
    NODE_COMPILE_CACHE: join(folder, '.compiled'),
    TEST_POSTGRES_KEY: String(process.pid),
    TEST_TIMES: times,
  }
  const child = spawn('sh', words, {
    cwd: folder,
    env: { ...process.env, ...fixed, ...env },
    stdio: 'ignore',
    detached: true,
  })
  const pid = child.pid as number
  running = pid
  return await new Promise((resolve) => {
    let isHung = false
    const timer = setTimeout(() => {
      isHung = true
      killTree(pid)
    }, limits.ms)
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      kill(-pid)
      running = undefined
      const end = isHung ? 'hung' : signal === 'SIGKILL' ? 'endless' : code === 0 ? 'passed' : 'failed'
      const seconds = readSeconds(times)
      rmSync(notes, { recursive: true, force: true })
      resolve({ end, ms: performance.now() - began, cpuSeconds: seconds })
    })
  })
}
