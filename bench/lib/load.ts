import { cpuMs } from './cpu.ts'
import { type Counted, getGenerator } from './generators.ts'
import type { Server } from './processes.ts'

/** The server and the request to send. */
export type Target = {
  server: Server
  method?: 'GET' | 'POST'
  path: string
  /** Called once for a run: what stands before and behind each request's own number, in place of `path`. */
  numbered?: () => { before: string; after: string }
  headers?: Readonly<Record<string, string>>
  body?: string
  /** Absent: HTTP/1.1, over TLS where the server's address says so. */
  isHttp2?: boolean
}

/** One run. Processor times are those of an answer, in milliseconds. */
export type Sample = Counted & {
  /** Of the server and all that it started. */
  cpuMs: number
  /** Of the database or Redis meanwhile, where they take part. */
  storeMs: number
}

export type LoadOptions = {
  seconds: number
  connections: number
  /** Processes that work for the server, such as PostgreSQL's first. */
  stores?: readonly number[]
}

const measureOnce = async (
  target: Target,
  { seconds, connections, stores = [] }: LoadOptions,
): Promise<Sample> => {
  const generator = getGenerator(target)
  if (!generator) throw new Error('HTTP/2 is asked by h2load, which is not installed')
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
 * Sends requests over this number of connections, each as soon as the previous one is answered. Tries twice, because
 * h2load sometimes does not end. Rejects if nothing is answered, or if no program is installed that can send requests.
 */
export const measure = (target: Target, options: LoadOptions): Promise<Sample> =>
  measureOnce(target, options).catch(() => measureOnce(target, options))
