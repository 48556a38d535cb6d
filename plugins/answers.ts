import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { ReadResult } from '../app/cache/freshness.ts'
import { getMethod } from '../app/http/methods.ts'
import { createAccessLog } from '../app/observe/access-log.ts'
import type { LogStream } from '../app/observe/log-stream.ts'
import type { AnswerSource, SentAnswer } from '../app/observe/sent-answer.ts'
import type { Endpoint, EndpointRequest } from './endpoint.ts'
import type { LinkOptions } from './entry-reply.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** For answers of the edge. Deferred by `setImmediate`, so that it delays no answer. */
    recordAnswerSoon(answer: SentAnswer): void
    /** Calls `watch` for each answer, also those of the edge. */
    watchAnswers(watch: (answer: SentAnswer) => void): void
  }
  interface FastifyRequest {
    rowsRead: number
    /** Bytes of a streamed body, up to now. */
    bytesStreamed: number
    /** Of a custom endpoint, once the client is allowed to know that it exists. */
    endpointName: string | undefined
    answerSource: AnswerSource
    /** Of an endpoint whose answers the edge may repeat. */
    cached: CachedAnswer | undefined
  }
}

/** An answer from the cache, or one that the cache has just read, and its endpoint. */
export type CachedAnswer = Readonly<{
  row: Endpoint
  /** YYYY-MM-DD, right before the answer was read. Midnight may have passed since then. */
  day: string
  asked: EndpointRequest
  answer: ReadResult
  links: LinkOptions
}>

const readTraceparent = ({ headers: { traceparent } }: FastifyRequest): string | undefined =>
  typeof traceparent === 'string' ? traceparent : undefined

/** A stream has no length in its head. HEAD has a length, but no body. */
const countBytes = ({ method, bytesStreamed }: FastifyRequest, reply: FastifyReply): number => {
  const length = Number(reply.getHeader('content-length') ?? 0)
  return bytesStreamed + (method === 'HEAD' || reply.statusCode === 304 ? 0 : length)
}

type AnswersOptions = {
  stream: LogStream | undefined
  logsCustomers: boolean
}

export default fp<AnswersOptions>(
  async (app, { stream, logsCustomers }) => {
    const log = createAccessLog(app.log.level, stream, { logsCustomers })
    const watchers: ((answer: SentAnswer) => void)[] = []
    app.decorate('watchAnswers', (watch: (answer: SentAnswer) => void) => void watchers.push(watch))
    const record = (answer: SentAnswer): void => {
      log?.(answer)
      app.endSpan?.(answer)
      app.audit.countAnswer(answer)
      app.metrics.countAnswer(answer)
      for (const watch of watchers) watch(answer)
    }
    let pending: SentAnswer[] = []
    const recordPending = () => {
      const all = pending
      pending = []
      for (const answer of all) record(answer)
    }
    app.decorate('recordAnswerSoon', (answer: SentAnswer) => {
      if (pending.push(answer) === 1) setImmediate(recordPending)
    })
    app.decorateRequest('rowsRead', 0)
    app.decorateRequest('bytesStreamed', 0)
    app.decorateRequest('endpointName', undefined)
    app.decorateRequest('answerSource', 'none')
    app.decorateRequest('cached', undefined)
    app.addHook('onResponse', (request, reply, next) => {
      const { url: route, config } = request.routeOptions
      record({
        requestId: request.id,
        method: getMethod(request.raw),
        route,
        endpoint: request.endpointName,
        isClosed: config.scope !== undefined,
        principal: request.principal,
        refusedKeyId: request.refusedKeyId,
        target: request.raw.url ?? '',
        status: reply.statusCode,
        rows: request.rowsRead,
        bytes: countBytes(request, reply),
        source: request.answerSource,
        ms: reply.elapsedTime,
        traceparent: readTraceparent(request),
      })
      next()
    })
  },
  { name: 'answers', dependencies: ['audit', 'auth', 'metrics'], fastify: '5.x' },
)
