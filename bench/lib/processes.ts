import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../test/servers.ts'
import type { Instructions } from '../reference.ts'
import { asStarted } from './as-started.ts'
import { ask } from './ask.ts'
import { stopWithProcess } from './endings.ts'

const root = join(import.meta.dirname, '../..')

const readyWithinMs = 60_000

/** `label` describes it in reports. */
export type Started = { url: string; label: string; stop(): Promise<void> }

export type Server = Started & { pid: number }

export { freePort }

export const makeFolder = (): string => {
  const folder = mkdtempSync(join(os.tmpdir(), 'certdata-bench-'))
  chmodSync(folder, 0o755)
  return folder
}

/** Returns the path of a program. `undefined` if it is not installed. */
export const findOnPath = (program: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((each) => join(each, program))
    .find(existsSync)

/** Returns `undefined` if redis-server is not installed. */
export const startRedis = async (): Promise<Server | undefined> => {
  const program = findOnPath('redis-server')
  if (!program) return undefined
  const port = await freePort()
  const folder = makeFolder()
  const child = spawn(
    program,
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder],
    {
      stdio: 'ignore',
    },
  )
  return stopWithProcess({
    url: `redis://127.0.0.1:${port}`,
    label: 'redis-server of this machine',
    pid: child.pid as number,
    stop: async () => {
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  })
}

export const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Limits are counted as usual, but never reached. */
const noLimits = Object.fromEntries(
  ['PREMIUM', 'ENTERPRISE', 'DEMO']
    .flatMap((plan) => [`LIMIT_${plan}_BURST`, `LIMIT_${plan}_MINUTE`])
    .concat('LIMIT_LOGINS')
    .map((name) => [name, '1000000000']),
)

/** The bench's services accept this token for `/metrics`. */
export const metricsToken = 'metrics-of-the-bench'

/** Starts the service with all features, logging to a file. `execArgv`: flags of Node. `checkout`: of the code. */
export const startService = async (
  env: Readonly<Record<string, string>>,
  execArgv: readonly string[] = [],
  checkout = root,
): Promise<Server> => {
  const folder = makeFolder()
  const logFile = join(folder, 'access.log')
  const log = openSync(logFile, 'w')
  const port = await freePort()
  const child = spawn(process.execPath, [...asStarted(checkout).flags, ...execArgv, 'app/server.js'], {
    cwd: checkout,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...asStarted(checkout).variables,
      ...noLimits,
      METRICS_TOKEN: metricsToken,
      SECRET_KEY: 'a secret of the bench that is longer than thirty-two characters',
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const url = `${env.TLS_CERT ? 'https' : 'http'}://127.0.0.1:${port}`
  const deadline = Date.now() + readyWithinMs
  const isReady = () =>
    ask({ url, path: '/health/ready' }).then(
      ({ status }) => status === 200,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      throw new Error(`The service did not become ready:\n${readFileSync(logFile, 'utf8')}`)
    }
    await delay(50)
  }
  return stopWithProcess({
    url,
    label: 'the service',
    pid: child.pid as number,
    stop: async () => {
      await end(child)
      rmSync(folder, { recursive: true, force: true })
    },
  })
}

export const startReference = async (instructions: Instructions): Promise<Server> => {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../reference.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  child.send(instructions)
  const [address] = (await once(child, 'message')) as [AddressInfo]
  const url = `${instructions.tls ? 'https' : 'http'}://127.0.0.1:${address.port}`
  return stopWithProcess({ url, label: 'reference', pid: child.pid as number, stop: () => end(child) })
}
