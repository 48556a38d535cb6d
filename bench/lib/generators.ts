import { execFile } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { findOnPath, makeFolder, type Server } from './processes.ts'

export type Target = {
  server: Server
  method?: 'GET' | 'POST'
  path: string
  /** Called once per run. Returns the text before and after each request's number, instead of `path`. */
  numbered?: () => { before: string; after: string }
  headers?: Readonly<Record<string, string>>
  body?: string
  /** Optional. Defaults to HTTP/1.1, over TLS if the server's address is https. */
  isHttp2?: boolean
}

/** Times are in milliseconds. */
export type Counted = {
  answers: number
  /** Answers per second. */
  rate: number
  averageMs: number
  /** `undefined` if the generator does not report it. */
  p99Ms?: number
  /** Heads and bodies. */
  bytes: number
  failed: number
}

type LoadOptions = { seconds: number; connections: number }
type Generate = (target: Target, options: LoadOptions) => Promise<Counted>

/** A generator that runs this much longer than requested is killed. */
const graceMs = 10_000
const execute = promisify(execFile)
const run = async (program: string, load: readonly string[], seconds: number): Promise<string> =>
  (await execute(program, load, { timeout: 1000 * seconds + graceMs })).stdout

/** Concurrent streams of one HTTP/2 connection. */
const streams = 16
const digits = 6

/** Returns the wrk script that sends the requests and prints the results. Lua and JSON quote ASCII alike. */
const toLua = ({ method = 'GET', headers = {}, body, numbered }: Target): string => {
  const quote = JSON.stringify
  const parts = numbered?.()
  const fields = Object.entries(headers).map(
    ([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`,
  )
  const next =
    parts &&
    `local n = 0
function request()
  n = n + 1
  return wrk.format(nil, ${quote(parts.before)} .. string.format("%0${digits}d", n) .. ${quote(parts.after)})
end`
  return `wrk.method = ${quote(method)}
${fields.join('\n')}
${body === undefined ? '' : `wrk.body = ${quote(body)}`}
${next ?? ''}
function done(summary, latency)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.status + e.timeout
  io.write(string.format("counted %d %d %d %d %d %d\\n",
    summary.requests, summary.duration, latency.mean, latency:percentile(99), summary.bytes, failed))
end
`
}

const runWrk: Generate = async (target, { seconds, connections }) => {
  const folder = makeFolder()
  const script = join(folder, 'target.lua')
  writeFileSync(script, toLua(target))
  try {
    const load = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script]
    const said = await run('wrk', [...load, target.server.url + target.path], seconds)
    const counted = /^counted (.*)$/m.exec(said)?.[1]?.split(' ').map(Number)
    if (!counted) throw new Error(`wrk printed no result:\n${said}`)
    const [answers = 0, us = 1, mean = 0, p99 = 0, bytes = 0, failed = 0] = counted
    return {
      answers,
      bytes,
      failed,
      rate: (1e6 * answers) / us,
      averageMs: mean / 1000,
      p99Ms: p99 / 1000,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const millisecondsOf = { us: 0.001, ms: 1, s: 1000 } as const

const runH2load: Generate = async ({ server, path, headers = {} }, { seconds, connections }) => {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const clients = Math.max(1, Math.round(connections / streams))
  const load = ['-t1', `-c${clients}`, `-m${streams}`, `-D${seconds}`, ...fields, server.url + path]
  const said = await run('h2load', load, seconds)
  const numbers = (form: RegExp) => (form.exec(said) ?? []).slice(1)
  const [rate] = numbers(/([\d.]+) req\/s/)
  const [done, failed, errored, late] = numbers(
    /requests: .* (\d+) done, .* (\d+) failed, (\d+) errored, (\d+) timeout/,
  ).map(Number)
  const [bytes] = numbers(/traffic: \S+ \((\d+)\) total/)
  const [mean, unit] = numbers(/time for request: +\S+ +\S+ +([\d.]+)(us|ms|s)/)
  if (!rate || !done) throw new Error(`h2load printed no result:\n${said}`)
  return {
    answers: done,
    rate: Number(rate),
    averageMs: Number(mean) * millisecondsOf[unit as keyof typeof millisecondsOf],
    bytes: Number(bytes),
    failed: (failed ?? 0) + (errored ?? 0) + (late ?? 0),
  }
}

const runAutocannon: Generate = async (target, { seconds, connections }) => {
  const { server, path, method = 'GET', headers = {}, body, numbered } = target
  const parts = numbered?.()
  let n = 0
  const setupRequest = (request: autocannon.Request) => {
    n += 1
    return { ...request, path: `${parts?.before}${String(n).padStart(digits, '0')}${parts?.after}` }
  }
  const result = await autocannon({
    url: server.url + path,
    connections,
    duration: seconds,
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(parts ? { requests: [{ setupRequest }] } : {}),
    tlsOptions: { rejectUnauthorized: false },
  } as autocannon.Options)
  return {
    answers: result.requests.total,
    rate: result.requests.average,
    averageMs: result.latency.average,
    p99Ms: result.latency.p99,
    bytes: result.throughput.total,
    failed: result['4xx'] + result['5xx'] + result.errors,
  }
}

const wrk = { name: 'wrk', generate: runWrk }
const h2load = { name: 'h2load', generate: runH2load }
const ownLoop = { name: 'autocannon', generate: runAutocannon }

/** `--autocannon` measures as on a machine without wrk and h2load. */
const isOnlyOwn = process.argv.includes('--autocannon')
const has = (program: string) => !isOnlyOwn && findOnPath(program) !== undefined

/** Returns the generator for this target. `undefined` if no program is installed for it. */
export const getGenerator = ({ isHttp2 }: Target): { name: string; generate: Generate } | undefined => {
  if (isHttp2) return has('h2load') ? h2load : undefined
  return has('wrk') ? wrk : ownLoop
}
