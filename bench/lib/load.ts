import autocannon from 'autocannon'
import { watchSteal } from './machine.ts'
import { cpuMs, type Server } from './processes.ts'

/** The server and the request to send. */
export type Target = {
  server: Server
  method?: 'GET' | 'POST'
  path: string
  /** Makes each request's own path, in place of `path`. */
  makePath?: () => string
  headers?: Record<string, string>
  /** Each request's own headers beside. */
  makeHeaders?: () => Record<string, string>
  body?: string
}

/** One run. Rates in answers a second, times in milliseconds. */
export type Sample = {
  rate: number
  averageMs: number
  p50Ms: number
  p99Ms: number
  /** The server's processor time for each answer. */
  cpuMs: number
  megabytesPerSecond: number
  failed: number
  /** Share of the cores' time that the machine was not ours. */
  stolen: number
}

export type LoadOptions = { seconds: number; connections: number }

/** Asks as fast as it is answered, over so many connections. */
export const measure = async (target: Target, { seconds, connections }: LoadOptions): Promise<Sample> => {
  const { server, method = 'GET', path, makePath, headers = {}, makeHeaders, body } = target
  const varies = makePath || makeHeaders
  const before = cpuMs(server.pid)
  const stolenShare = watchSteal()
  const result = await autocannon({
    url: server.url + path,
    connections,
    duration: seconds,
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(varies
      ? {
          requests: [
            {
              setupRequest: (request) => ({
                ...request,
                path: makePath ? makePath() : path,
                headers: { ...headers, ...makeHeaders?.() },
              }),
            },
          ],
        }
      : {}),
  })
  const answers = result.requests.total
  return {
    rate: result.requests.average,
    averageMs: result.latency.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    cpuMs: (cpuMs(server.pid) - before) / Math.max(1, answers),
    megabytesPerSecond: result.throughput.average / 1e6,
    failed: result['4xx'] + result['5xx'] + result.errors,
    stolen: stolenShare(),
  }
}
