import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../test/servers.ts'

const root = join(import.meta.dirname, '../..')
/** initdb, migrations and example data on a busy machine. */
const startLimitMs = 60_000

/** The service as anybody starts it, on the bundled PostgreSQL in a folder of its own. */
export type Service = {
  url: string
  /** Sees example data. */
  demoToken: string
  /** Of the customer named local. */
  apiKey: string
  /** A command of the operator's, on this service's database; resolves with what it prints. */
  certdata(...options: string[]): Promise<string>
  /** With which a command works on the same database. */
  environment: Readonly<Record<string, string>>
  /** What the service has printed so far. */
  output(): string
  stop(): Promise<void>
}

export { freePort }

/**
 * Starts it and waits until it has said how to use it. `env` is added to its environment. Throws with what it
 * printed where it ends instead, or is not ready in a minute.
 */
export const startService = async (env: Readonly<Record<string, string>> = {}): Promise<Service> => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-service-'))
  // PostgreSQL runs as another user where root starts it: else its data would go elsewhere, and stay there.
  chmodSync(folder, 0o755)
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    LOG_LEVEL: 'warn',
    // Commands are many and short: half of their time is reading our own code.
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
    ...env,
    DATA_DIR: join(folder, 'data'),
    PORT: String(await freePort()),
  }
  const child = spawn(process.execPath, ['app/server.js'], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const closed = once(child, 'close')
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
    await closed
    process.removeListener('exit', kill)
    rmSync(folder, { recursive: true, force: true })
  }
  const deadline = Date.now() + startLimitMs
  while (!output.includes('npx certdata import')) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`The service does not start:\n${output}`)
    }
    await delay(20)
  }
  const certdata = async (...options: string[]) => {
    const command = [join(root, 'app/cli.ts'), ...options]
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root, env: environment })
    return stdout
  }
  return {
    url: `http://localhost:${environment.PORT}`,
    demoToken: environment.DEMO_TOKEN ?? 'cda_demo_public',
    apiKey: /cda_live_\w+/.exec(output)?.[0] as string,
    certdata,
    environment,
    output: () => output,
    stop,
  }
}
