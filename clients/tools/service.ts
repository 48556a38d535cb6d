import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../test/servers.ts'

const root = join(import.meta.dirname, '../..')
/** Includes initdb, migrations and example data on a busy machine. */
const startLimitMs = 60_000

/** The service as a user starts it, on the bundled PostgreSQL in a temporary folder. */
export type Service = {
  url: string
  /** Reads the example data. */
  demoToken: string
  /** Of the customer named local. */
  apiKey: string
  /** Runs an operator's command on this service's database. Resolves with its output. */
  certdata(...options: string[]): Promise<string>
  /** Variables for other commands on the same database. */
  environment: Readonly<Record<string, string>>
  /** Output of the service so far. */
  output(): string
  stop(): Promise<void>
}

export { freePort }

/**
 * Starts the service and waits until it prints how to use it. `env` is added to its environment. Rejects with
 * the output if the service exits, or is not ready within a minute.
 */
export const startService = async (env: Readonly<Record<string, string>> = {}): Promise<Service> => {
  const folder = mkdtempSync(join(tmpdir(), 'certdata-service-'))
  // If root starts it, PostgreSQL runs as another user. Without access it would store its data in another
  // folder permanently.
  chmodSync(folder, 0o755)
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    LOG_LEVEL: 'warn',
    // There are many short commands, which spend half of their time on compiling the code.
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
  while (!output.includes('npx --no certdata import')) {
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
