import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { asStarted } from '../bench/lib/as-started.ts'
import { freePort } from './servers.ts'

const root = join(import.meta.dirname, '..')
const patienceMs = 60_000

export type Service = {
  child: ChildProcess
  port: number
  base: string
  output: () => string
  /** Rejects if the process ends first. */
  printed: (text: string | RegExp) => Promise<void>
  /** Resolves with the exit code. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

export type ServiceOptions = {
  /** Options of Node. */
  execArgv?: string[]
  /** Uses the flags and variables of `npm start`, because latency and memory depend on them. */
  isMeasured?: boolean
  /** As under systemd or in a container. Linux divides processor time between sessions first (autogroups). */
  hasOwnSession?: boolean
  /** A checkout, to compare with. Defaults to this one. */
  directory?: string
  /** A file descriptor. `output` then has only standard error. */
  stdout?: number
}

// Signals to this process group do not reach another session, and by default a signal runs no `exit` listener.
let endsBySignals = false
const endBySignals = (): void => {
  if (endsBySignals) return
  endsBySignals = true
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
}

/** Starts the service with only this environment. Does not wait until it listens. */
export const startService = async (
  env: Record<string, string>,
  { execArgv = [], directory = root, stdout, isMeasured = false, hasOwnSession = false }: ServiceOptions = {},
): Promise<Service> => {
  const port = env.PORT ? Number(env.PORT) : await freePort()
  const { flags, variables } = isMeasured ? asStarted() : { flags: [], variables: {} }
  const child = spawn(process.execPath, [...flags, ...execArgv, 'app/server.js'], {
    cwd: directory,
    detached: hasOwnSession,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ...variables,
      NODE_ENV: 'development',
      PORT: String(port),
      ...env,
    },
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  if (hasOwnSession) endBySignals()
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const closed = once(child, 'close').finally(() => process.removeListener('exit', kill))
  const printed = async (text: string | RegExp) => {
    const deadline = Date.now() + patienceMs
    while (!(typeof text === 'string' ? output.includes(text) : text.test(output))) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`never printed ${text}:\n${output}`)
      await delay(10)
    }
  }
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await closed
    return child.exitCode
  }
  return { child, port, base: `http://localhost:${port}`, output: () => output, printed, stop }
}

export const untilReady = async ({ base, child, output }: Service): Promise<void> => {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const answer = await fetch(`${base}/health/ready`).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`never ready:\n${output()}`)
    await delay(10)
  }
}

/** Logs in and returns the header for further requests. */
export const logInTo = async ({ base }: Pick<Service, 'base'>, apiKey: string) => {
  const basic = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`
  const answer = await fetch(`${base}/v1/auth/login`, { method: 'POST', headers: { authorization: basic } })
  if (answer.status !== 200) throw new Error(`login: ${answer.status}`)
  return { authorization: `Bearer ${((await answer.json()) as { access_token: string }).access_token}` }
}
