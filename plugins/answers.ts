import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { methodOf } from '../app/http/methods.ts'
import type { Principal } from '../app/identity/principal.ts'
import type { AnswerSource } from '../app/observe/requests.ts'

/** An answer that has gone out, for those who count: the log, the audit trail, metrics. */
export type Answered = Readonly<{
  requestId: string
  method: string
  /** The route's pattern, never the address, because that holds ids and query values; undefined: no route. */
  route: string | undefined
  /** Which endpoint, as the operator names it, where the pattern stands for several; absent: the pattern says it. */
  endpoint?: string | undefined
  /** Whether the route is behind authentication. */
  isClosed: boolean
  /** Who asked; undefined: nobody that was known. */
  principal: Principal | undefined
  /** The key of a good token that was refused all the same: it was revoked. */
  refusedKeyId: string | undefined
  /** Path and query as they came. */
  target: string
  status: number
  /** Records in it. */
  rows: number
  /** Where its data came from. */
  source: AnswerSource
  /** Milliseconds from the first byte seen to the end of writing. */
  ms: number
  /** W3C trace context, as it came or, where traces are collected, as the request's own. */
  traceparent: string | undefined
}>

export type Watcher = (answered: Answered) => void

declare module 'fastify' {
  interface FastifyInstance {
    /** Calls for every answer that has gone out, from here on. */
    watchAnswers(watcher: Watcher): void
    /** Tells the watchers. */
    noteAnswered: Watcher
    /**
     * The same for who answers without the router: once what has arrived is answered, so that nobody's answer waits
     * for it, and the same work is done for many at once.
     */
    noteAnsweredSoon: Watcher
  }
  interface FastifyRequest {
    /** Records in the answer. */
    rowsRead: number
    /** Which endpoint, where the route stands for several; set once it is known to be there for who asks. */
    endpointName: string | undefined
    /** Where the answer's data came from; whoever answers with data sets it. */
    answerSource: AnswerSource
  }
}

const traceparentOf = ({ headers: { traceparent } }: FastifyRequest): string | undefined =>
  typeof traceparent === 'string' ? traceparent : undefined

/** One place where an answer is known to be out, whichever way it took. */
export default fp(
  (app, _options, done) => {
    const watchers: Watcher[] = []
    app.decorate('watchAnswers', (watcher: Watcher) => {
      watchers.push(watcher)
    })
    app.decorate('noteAnswered', (answered: Answered) => {
      for (const watcher of watchers) watcher(answered)
    })
    let pending: Answered[] = []
    const noteAll = () => {
      const all = pending
      pending = []
      for (const answered of all) app.noteAnswered(answered)
    }
    app.decorate('noteAnsweredSoon', (answered: Answered) => {
      if (pending.push(answered) === 1) setImmediate(noteAll)
    })
    app.decorateRequest('rowsRead', 0)
    app.decorateRequest('endpointName', undefined)
    app.decorateRequest('answerSource', 'none')
    app.addHook('onResponse', (request, reply, next) => {
      const { url: route, config } = request.routeOptions
      app.noteAnswered({
        requestId: request.id,
        method: methodOf(request.raw),
        route,
        endpoint: request.endpointName,
        isClosed: config.scope !== undefined,
        principal: request.principal,
        refusedKeyId: request.refusedKeyId,
        target: request.raw.url ?? '',
        status: reply.statusCode,
        rows: request.rowsRead,
        source: request.answerSource,
        ms: reply.elapsedTime,
        traceparent: traceparentOf(request),
      })
      next()
    })
    done()
  },
  { name: 'answers', fastify: '5.x' },
)
