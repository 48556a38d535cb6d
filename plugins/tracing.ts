import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { methodOf } from '../app/http/methods.ts'
import type { RequestSpan, Tracing } from '../app/observe/tracing.ts'

type TracingPluginOptions = { tracing: Tracing }

/** Requests under way, at most; a span that is forgotten is not sent. */
const maxSpans = 10_000

/** Makes a span for each request, from the router or the edge, and puts its trace into the log. */
export default fp<TracingPluginOptions>(
  (app, { tracing }, done) => {
    const spans = new LRUCache<string, RequestSpan>({ max: maxSpans })
    app.addHook('onRequest', (request, _reply, next) => {
      tracing.begin(methodOf(request.raw), request.headers, (span) => {
        spans.set(request.id, span)
        // Later log lines of the request belong to this trace.
        request.headers.traceparent = span.traceparent
        next()
      })
    })
    app.watchAnswers(({ requestId, method, traceparent, route = '', status, ms, source }) => {
      const answer = { route, status, source }
      const span = spans.get(requestId)
      if (!span) return tracing.noteRequest({ method, traceparent, milliseconds: ms }, answer)
      spans.delete(requestId)
      span.end(answer)
    })
    done()
  },
  { name: 'tracing', dependencies: ['answers'], fastify: '5.x' },
)
