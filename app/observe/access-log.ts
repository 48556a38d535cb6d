import os from 'node:os'
import type { LogStream } from './log-stream.ts'
import type { SentAnswer } from './sent-answer.ts'
import { findTraceId } from './trace-context.ts'

/**
 * Returns a function that logs an answer; `undefined` if there is no stream, or if `level` excludes `info`. It
 * formats the line itself, at a sixth of pino's cost.
 */
export const createAccessLog = (
  level: string,
  stream: LogStream | undefined,
): ((answer: SentAnswer) => void) | undefined => {
  if (!stream || !['info', 'debug', 'trace'].includes(level)) return undefined
  const origin = `,"pid":${process.pid},"hostname":${JSON.stringify(os.hostname())},"reqId":"`
  return ({ requestId, method, route, status, ms, traceparent }) => {
    const trace_id = traceparent === undefined ? undefined : findTraceId(traceparent)
    const trace = trace_id === undefined ? '' : `,"trace_id":"${trace_id}"`
    const rounded = Math.round(ms * 100) / 100
    stream.write(
      `{"level":"info","time":"${new Date().toISOString()}"${origin}${requestId}","method":${JSON.stringify(method)},"route":${JSON.stringify(route ?? null)},"status":${status},"ms":${rounded}${trace},"msg":"answered"}\n`,
    )
  }
}
