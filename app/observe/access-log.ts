import os from 'node:os'
import { after as afterMs } from '../overload/timer.ts'
import type { LogStream } from './log-stream.ts'
import type { SentAnswer } from './sent-answer.ts'

/** W3C Trace Context, level 1: version-traceid-parentid-flags. Only versions after 00 may append fields. */
const traceparent = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-[\da-f]{2}(?:-.*)?$/
const firstVersionLength = 55

/** Returns a request's trace id, 32 hexadecimal digits. `undefined` if the header is missing or malformed. */
export const findTraceId = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  if (header.startsWith('00') && header.length !== firstVersionLength) return undefined
  return traceparent.exec(header)?.[1]
}

/** Statuses of refusals that strangers can cause in any number. */
const refusalStatuses = new Set([401, 403, 429, 503])
/** Of each status and route. Further refusals of the second share a line, so that a flood does not fill the disk. */
const maxRefusalsPerSecond = 10

/**
 * Returns a function that reports whether a refusal gets a line of its own. A second after the first refusal without
 * one, `writeOmitted` gets their number.
 */
const createRefusalCounts = (
  writeOmitted: (omitted: number, answer: SentAnswer) => void,
  after: typeof afterMs,
) => {
  const counts = new Map<string, { answer: SentAnswer; count: number }>()
  const writeAll = () => {
    for (const { answer, count } of counts.values())
      if (count > maxRefusalsPerSecond) writeOmitted(count - maxRefusalsPerSecond, answer)
    counts.clear()
  }
  return (answer: SentAnswer): boolean => {
    if (!refusalStatuses.has(answer.status)) return true
    if (counts.size === 0) after(1_000, writeAll)
    const name = `${answer.status} ${answer.method} ${answer.route}`
    const known = counts.get(name)
    if (!known) counts.set(name, { answer, count: 1 })
    else known.count += 1
    return !known || known.count <= maxRefusalsPerSecond
  }
}

/**
 * Returns a function that logs an answer. `undefined` without a stream, or if `level` excludes `info`. Of a flood of
 * refusals, only the first ones of a second and the number of the others are logged. `logsCustomers`: with the slug of
 * the customer, which may be personal data.
 */
export const createAccessLog = (
  level: string,
  stream: LogStream | undefined,
  { after = afterMs, logsCustomers = false }: { after?: typeof afterMs; logsCustomers?: boolean } = {},
): ((answer: SentAnswer) => void) | undefined => {
  if (!stream || !['info', 'debug', 'trace'].includes(level)) return undefined
  const origin = `,"pid":${process.pid},"hostname":${JSON.stringify(os.hostname())}`
  const begin = () => `{"level":"info","time":"${new Date().toISOString()}"${origin}`
  const describe = ({ method, route, status }: SentAnswer) =>
    `"method":${JSON.stringify(method)},"route":${JSON.stringify(route ?? null)},"status":${status}`
  const isLogged = createRefusalCounts((omitted, answer) => {
    stream.write(
      `${begin()},${describe(answer)},"omitted":${omitted},"msg":"more requests were refused than are logged"}\n`,
    )
  }, after)
  return (answer) => {
    if (!isLogged(answer)) return
    const { requestId, ms, traceparent, principal } = answer
    const customer = logsCustomers && principal ? `,"customer":${JSON.stringify(principal.customerId)}` : ''
    const trace_id = traceparent === undefined ? undefined : findTraceId(traceparent)
    const trace = trace_id === undefined ? '' : `,"trace_id":"${trace_id}"`
    const rounded = Math.round(ms * 100) / 100
    // Without pino, at a sixth of its cost.
    stream.write(
      `${begin()},"reqId":"${requestId}",${describe(answer)},"ms":${rounded}${customer}${trace},"msg":"answered"}\n`,
    )
  }
}
