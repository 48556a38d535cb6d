import os from 'node:os'
import fp from 'fastify-plugin'
import type { LogStream } from '../app/observe/log-stream.ts'
import { findTraceId } from '../app/observe/trace-context.ts'
import type { Answered } from './answers.ts'

type AccessLogOptions = {
  /** Where the logger writes to; absent: the lines go by the logger. */
  stream: LogStream | undefined
}

/**
 * The logger's own line, put together without it: that costs a third of an answer from memory, and this a
 * twentieth of it.
 */
const createFormat = () => {
  const origin = `,"pid":${process.pid},"hostname":${JSON.stringify(os.hostname())},"reqId":"`
  return ({ requestId, method, route, status, ms, traceparent }: Answered): string => {
    const trace_id = traceparent === undefined ? undefined : findTraceId(traceparent)
    const trace = trace_id === undefined ? '' : `,"trace_id":"${trace_id}"`
    const rounded = Math.round(ms * 100) / 100
    return `{"level":30,"time":${Date.now()}${origin}${requestId}","method":${JSON.stringify(method)},"route":${JSON.stringify(route ?? null)},"status":${status},"ms":${rounded}${trace},"msg":"answered"}\n`
  }
}

/** One line per answer, written after the answer has gone out. */
export default fp<AccessLogOptions>(
  (app, { stream }, done) => {
    const { log } = app
    const format = createFormat()
    const isWanted = log.level === 'info' || log.level === 'debug' || log.level === 'trace'
    if (isWanted) {
      app.watchAnswers((answered) => {
        if (stream) return stream.write(format(answered))
        const {
          level: _level,
          time: _time,
          pid: _pid,
          hostname: _host,
          msg,
          ...line
        } = JSON.parse(format(answered))
        log.info(line, msg)
      })
    }
    done()
  },
  { name: 'access-log', dependencies: ['answers'], fastify: '5.x' },
)
