import { cpuMs } from './cpu.ts'
import { type Counted, getGenerator, type Target } from './generators.ts'

/** One run. Processor times are per answer, in milliseconds. */
export type Sample = Counted & {
  /** Of the server and its descendants. */
  cpuMs: number
  /** Of the database or Redis during the run, if they take part. */
  storeMs: number
}

export type LoadOptions = {
  seconds: number
  connections: number
  /** Root processes of the stores, such as PostgreSQL's postmaster. */
  stores?: readonly number[]
}

const measureOnce = async (
  target: Target,
  { seconds, connections, stores = [] }: LoadOptions,
): Promise<Sample> => {
  const generator = getGenerator(target)
  if (!generator) throw new Error('HTTP/2 requires h2load, which is not installed')
  const { pid } = target.server
  const before = [cpuMs(pid), cpuMs(...stores)] as const
  const counted = await generator.generate(target, { seconds, connections })
  const { answers } = counted
  if (answers === 0) throw new Error(`${target.server.url}${target.path} was not answered in ${seconds} s`)
  return {
    ...counted,
    cpuMs: (cpuMs(pid) - before[0]) / answers,
    storeMs: (cpuMs(...stores) - before[1]) / answers,
  }
}

/**
 * Sends requests over this number of connections, each as soon as the previous one is answered. Tries twice,
 * because h2load sometimes hangs. Rejects if there is no answer, or if no generator is installed.
 */
export const measure = (target: Target, options: LoadOptions): Promise<Sample> =>
  measureOnce(target, options).catch(() => measureOnce(target, options))
