import fp from 'fastify-plugin'
import { findTraceId } from '../app/observe/trace-context.ts'
import type { RequestSpan, Tracing } from '../app/observe/tracing.ts'

export type TracingPluginOptions = { tracing: Tracing }

declare module 'fastify' {
  interface FastifyRequest {
    span?: RequestSpan
  }
}

/** A span for each request, and its trace's id in the request's log lines. Registered before whatever may refuse. */
export default fp<TracingPluginOptions>(
  (app, { tracing }, done) => {
    app.addHook('onRequest', (request, reply, next) => {
      tracing.begin(request.method, request.headers, (span) => {
        request.span = span
        // A caller's is in its lines already.
        if (findTraceId(request.headers.traceparent) !== span.traceId) {
          request.log = request.log.child({ trace_id: span.traceId })
          reply.log = request.log
        }
        next()
      })
    })
    app.addHook('onResponse', ({ span, routeOptions, answerSource }, reply, next) => {
      span?.end(routeOptions.url ?? '', reply.statusCode, answerSource)
      next()
    })
    done()
  },
  { name: 'tracing', fastify: '5.x' },
)
