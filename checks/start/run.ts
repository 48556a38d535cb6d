import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ownCpuMs } from '../../bench/lib/cpu.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { createTestDatabase, secretKey } from '../../test/helper.ts'
import { freePort, makeDataFolder } from '../../test/servers.ts'

/** Measures time and processor time from `npm start` until the service is ready. `npm run check:start -- 10` */

const root = join(import.meta.dirname, '../..')
const times = Number(process.argv[2] ?? 7)
const patienceMs = 30_000
/** The promised times on an idle machine: with a migrated database, and with existing data of the bundled one. */
const configuredMs = 2_000
const bundledMs = 5_000
/** Processor time of Node alone, with all its threads. */
const mostCpuMs = 1_200

const end = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'close')
  // As a terminal does: signals npm and its child processes.
  process.kill(-(child.pid ?? 0), 'SIGTERM')
  await ended
}

type Start = { tookMs: number; cpuMs: number }

/** Returns the time until ready, and the processor time of this command's process until then. */
const startOnce = async (command: readonly string[], env: Record<string, string>): Promise<Start> => {
  const port = await freePort()
  const { PATH = '', HOME = '' } = process.env
  const startedAt = performance.now()
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: root,
    detached: true,
    env: { PATH, HOME, PORT: String(port), LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  for (;;) {
    const answer = await fetch(`http://localhost:${port}/health/ready`).catch(() => undefined)
    if (answer?.status === 200) break
    if (child.exitCode !== null || performance.now() - startedAt > patienceMs) throw new Error('never ready')
    await delay(25)
  }
  const start = { tookMs: performance.now() - startedAt, cpuMs: ownCpuMs(child.pid ?? 0) }
  await end(child)
  return start
}

const getMedian = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const show = (ms: number) => `${Math.round(ms)} ms`

const measure = async (
  name: string,
  limitMs: number,
  command: readonly string[],
  env: Record<string, string>,
): Promise<boolean> => {
  // Loads the files into the system's cache.
  const first = await startOnce(command, env)
  const starts: Start[] = []
  for (let count = 0; count < times; count += 1) starts.push(await startOnce(command, env))
  const took = starts.map(({ tookMs }) => tookMs)
  const [shortest, longest] = [Math.min(...took), Math.max(...took)]
  process.stdout.write(
    `${name}: first ${show(first.tookMs)}, then ${times} times ${show(shortest)} to ${show(longest)}, median ${show(getMedian(took))}; promised ${limitMs} ms\n`,
  )
  if (command[0] === 'npm') return longest < limitMs
  const cpuMs = getMedian(starts.map((each) => each.cpuMs))
  process.stdout.write(`  median of Node's processor time ${show(cpuMs)}; promised ${mostCpuMs} ms\n`)
  return longest < limitMs && cpuMs < mostCpuMs
}

const database = await createTestDatabase()
const folder = makeDataFolder('start')
const configured = { DATABASE_URL: database.url, SECRET_KEY: secretKey }
const bundled = { DATA_DIR: join(folder, 'data') }
const npm = ['npm', 'start', '--silent']
/** Without npm, so that the child process is Node. */
const script = ['sh', '-c', packageJson.scripts.start]
try {
  const results = [
    await measure('configured database, start script', configuredMs, script, configured),
    await measure('configured database, npm start', configuredMs, npm, configured),
    await measure('bundled database, start script', bundledMs, script, bundled),
    await measure('bundled database, npm start', bundledMs, npm, bundled),
  ]
  process.exitCode = results.every(Boolean) ? 0 : 1
} finally {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
}
