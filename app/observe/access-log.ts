import os from 'node:os'
import type { LogStream } from './log-stream.ts'
import type { SentAnswer } from './sent-answer.ts'
import { findTraceId } from './trace-context.ts'

type Log = Readonly<{ level: string; info(details: object, message: string): void }>

/**
 * Returns a function that logs an answer; `undefined` if the log level excludes `info`. It formats the line
 * itself, at a sixth of pino's cost. Without a `stream`, it passes the line to `log`.
 */
export const createAccessLog = (
  log: Log,
  stream: LogStream | undefined,
): ((answer: SentAnswer) => void) | undefined => {
  if (!['info', 'debug', 'trace'].includes(log.level)) return undefined
  const origin = `,"pid":${process.pid},"hostname":${JSON.stringify(os.hostname())},"reqId":"`
  const format = ({ requestId, method, route, status, ms, traceparent }: SentAnswer): string => {
    const trace_id = traceparent === undefined ? undefined : findTraceId(traceparent)
    const trace = trace_id === undefined ? '' : `,"trace_id":"${trace_id}"`
    const rounded = Math.round(ms * 100) / 100
    return `{"level":"info","time":"${new Date().toISOString()}"${origin}${requestId}","method":${JSON.stringify(method)},"route":${JSON.stringify(route ?? null)},"status":${status},"ms":${rounded}${trace},"msg":"answered"}\n`
  }
  if (stream) return (answer) => stream.write(format(answer))
  return (answer) => {
    const {
      level: _level,
      time: _time,
      pid: _pid,
      hostname: _host,
      msg,
      ...line
    } = JSON.parse(format(answer))
    log.info(line, msg)
  }
}
