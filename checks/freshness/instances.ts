import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isEdited } from './edits.ts'
import type { Counters } from './fills.ts'
import type { Command, InstanceOptions, Report } from './instance.ts'

export type Instance = {
  /** Changes with each start. */
  readonly id: string
  readonly port: number
  readonly pid: number
  shiftClock(wallMs: number, monotonicMs: number): void
  /** Moves its date, without the clocks of tokens and leases. */
  shiftDay(days: number): void
  /** Returns the counts since the last call, or since the start. */
  takeCounters(): Promise<Counters>
  /** Sends SIGKILL, which works in any state. */
  kill(): Promise<void>
  /** Restarts the instance after `kill`, on another port. */
  restart(): Promise<void>
}

const entry = join(import.meta.dirname, 'instance.ts')
const plant = pathToFileURL(join(import.meta.dirname, 'plant.ts'))
const startLimitMs = 60_000

const next = async <Type extends Report['type']>(
  child: ChildProcess,
  type: Type,
): Promise<Extract<Report, { type: Type }>> => {
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(startLimitMs)])
  try {
    for (;;) {
      const [report] = (await Promise.race([
        once(child, 'message', { signal }),
        once(child, 'exit', { signal }).then(() => {
          throw new Error('the instance ended')
        }),
      ])) as [Report]
      if (report.type === type) return report as Extract<Report, { type: Type }>
    }
  } finally {
    over.abort()
  }
}

let starts = 0

/** Resolves when the instance listens. */
export const startInstance = async (name: string, options: InstanceOptions): Promise<Instance> => {
  let child: ChildProcess | undefined
  let id = ''
  let port = 0
  const killNow = () => child?.kill('SIGKILL')

  const start = async () => {
    process.once('exit', killNow)
    const execArgv = isEdited(options.fault) ? ['--import', `${plant}?${options.fault}`] : []
    child = fork(entry, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv })
    id = `${name}.${++starts}`
    child.send(options)
    port = (await next(child, 'ready')).port
  }
  const tell = (command: Command) => child?.send(command)
  const kill = async () => {
    process.removeListener('exit', killNow)
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  try {
    await start()
  } catch (error) {
    await kill()
    throw error
  }
  return {
    get id() {
      return id
    },
    get port() {
      return port
    },
    get pid() {
      return child?.pid ?? 0
    },
    shiftClock: (wallMs, monotonicMs) => tell({ type: 'clock', wallMs, monotonicMs }),
    shiftDay: (days) => tell({ type: 'day', days }),
    takeCounters: async () => {
      const answered = next(child as ChildProcess, 'counters')
      tell({ type: 'counters' })
      return answered
    },
    kill,
    restart: start,
  }
}
