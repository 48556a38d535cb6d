import fp from 'fastify-plugin'
import { getMethod } from '../app/http/methods.ts'
import type { SentAnswer } from '../app/observe/sent-answer.ts'
import type { RequestSpan, Tracing } from '../app/observe/tracing.ts'

declare module 'fastify' {
  interface FastifyInstance {
    endSpan?(answer: SentAnswer): void
  }
}

type TracingPluginOptions = { tracing: Tracing }

export default fp<TracingPluginOptions>(
  async (app, { tracing }) => {
    const spans = new Map<string, RequestSpan>()
    app.addHook('onRequest', (request, _reply, next) => {
      const span = tracing.begin(getMethod(request.raw), request.headers)
      spans.set(request.id, span)
      request.headers.traceparent = span.traceparent
      span.run(next)
    })
    app.decorate('endSpan', (answer: SentAnswer) => {
      const { requestId, method, traceparent, ms } = answer
      // Answers of the edge pass no hook, so their span is created afterwards.
      const span = spans.get(requestId) ?? tracing.begin(method, { traceparent }, Date.now() - ms)
      spans.delete(requestId)
      span.end(answer)
    })
  },
  { name: 'tracing', fastify: '5.x' },
)
