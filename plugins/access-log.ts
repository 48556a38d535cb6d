import fp from 'fastify-plugin'

/** One line per answer, written after the answer has gone out. */
export default fp(
  (app, _options, done) => {
    const { log } = app
    app.watchAnswers(({ requestId, method, route = null, status, ms, traceId }) => {
      const line = { reqId: requestId, method, route, status, ms: Math.round(ms * 100) / 100 }
      log.info(traceId === undefined ? line : { ...line, trace_id: traceId }, 'answered')
    })
    done()
  },
  { name: 'access-log', dependencies: ['answers'], fastify: '5.x' },
)
