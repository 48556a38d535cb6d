import fp from 'fastify-plugin'

/**
 * One line per answer: the route's pattern, never the address, because that holds ids and query values.
 * Written after the answer has gone out.
 */
export default fp(
  (app, _options, done) => {
    app.addHook('onResponse', (request, reply, next) => {
      request.log.info(
        {
          method: request.method,
          route: request.routeOptions.url ?? null,
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime * 100) / 100,
        },
        'answered',
      )
      next()
    })
    done()
  },
  { name: 'access-log', fastify: '5.x' },
)
