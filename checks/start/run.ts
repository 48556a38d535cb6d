import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createTestDatabase, secretKey } from '../../test/helper.ts'
import { freePort, makeDataFolder } from '../../test/servers.ts'

/** Measures the time from `npm start` until the service logs that it is ready. `npm run check:start -- 10` */

const root = join(import.meta.dirname, '../..')
const times = Number(process.argv[2] ?? 7)
const patienceMs = 30_000
/** The promised times on an idle machine: with a migrated database, and with existing data of the bundled one. */
const configuredMs = 2_000
const bundledMs = 5_000

const end = async (child: ChildProcess): Promise<void> => {
  const ended = once(child, 'close')
  // As a terminal does: signals npm and its child processes.
  process.kill(-(child.pid ?? 0), 'SIGTERM')
  await ended
}

/** Returns milliseconds until ready. */
const startOnce = async (command: readonly string[], env: Record<string, string>): Promise<number> => {
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
    await delay(5)
  }
  const tookMs = performance.now() - startedAt
  await end(child)
  return tookMs
}

const measure = async (
  name: string,
  limitMs: number,
  command: readonly string[],
  env: Record<string, string>,
): Promise<boolean> => {
  // Loads the files into the system's cache.
  const firstMs = await startOnce(command, env)
  const took: number[] = []
  for (let count = 0; count < times; count += 1) took.push(await startOnce(command, env))
  took.sort((a, b) => a - b)
  const show = (ms: number | undefined) => `${Math.round(ms ?? 0)} ms`
  const median = took[Math.floor(took.length / 2)]
  process.stdout.write(
    `${name}: first ${show(firstMs)}, then ${times} times ${show(took[0])} to ${show(took.at(-1))}, median ${show(median)}; promised ${limitMs} ms\n`,
  )
  return (took.at(-1) ?? 0) < limitMs
}

const database = await createTestDatabase()
const folder = makeDataFolder('start')
const configured = { DATABASE_URL: database.url, SECRET_KEY: secretKey }
const bundled = { DATA_DIR: join(folder, 'data') }
const npm = ['npm', 'start', '--silent']
try {
  const results = [
    await measure('configured database, node', configuredMs, [process.execPath, 'app/server.js'], configured),
    await measure('configured database, npm start', configuredMs, npm, configured),
    await measure('bundled database, npm start', bundledMs, npm, bundled),
  ]
  process.exitCode = results.every(Boolean) ? 0 : 1
} finally {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
}
