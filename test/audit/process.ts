import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../servers.ts'

const root = join(import.meta.dirname, '../..')
const readyWithinMs = 60_000

export type Service = {
  base: string
  /** All it printed. */
  output: () => string
  /** Ends it as a platform does, and waits. */
  stop: () => Promise<number | null>
}

/** The real service, once it is ready. */
export const startService = async (env: Record<string, string>): Promise<Service> => {
  const port = await freePort()
  const child = spawn(process.execPath, ['app/server.js'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const closed = once(child, 'close')
  const base = `http://localhost:${port}`
  const isReady = () =>
    fetch(`${base}/health/ready`).then(
      (answer) => answer.ok,
      () => false,
    )
  const deadline = Date.now() + readyWithinMs
  while (!(await isReady())) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`it did not start:\n${output}`)
    await delay(20)
  }
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await closed
    return child.exitCode
  }
  return { base, output: () => output, stop }
}
