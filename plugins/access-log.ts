import fp from 'fastify-plugin'
import { findTraceId } from '../app/observe/trace-context.ts'

/** One line per answer, written after the answer has gone out. */
export default fp(
  (app, _options, done) => {
    const { log } = app
    app.watchAnswers(({ requestId, method, route = null, status, ms, traceparent }) => {
      const line = { reqId: requestId, method, route, status, ms: Math.round(ms * 100) / 100 }
      const trace_id = traceparent === undefined ? undefined : findTraceId(traceparent)
      log.info(trace_id === undefined ? line : { ...line, trace_id }, 'answered')
    })
    done()
  },
  { name: 'access-log', dependencies: ['answers'], fastify: '5.x' },
)
