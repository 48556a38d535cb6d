import os from 'node:os'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { methodOf } from '../app/http/methods.ts'
import type { Principal } from '../app/identity/principal.ts'
import type { LogStream } from '../app/observe/log-stream.ts'
import type { AnswerSource } from '../app/observe/request-metrics.ts'
import { findTraceId } from '../app/observe/trace-context.ts'

/** An answer that has been sent, as the log, the audit trail and the metrics see it. */
export type Answered = Readonly<{
  requestId: string
  method: string
  /** The route's pattern. The address itself holds ids and query values. Undefined if no route matched. */
  route: string | undefined
  /** The endpoint as the operator names it, if the pattern stands for several endpoints. */
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
     * Reports an answer that was sent without the router. It is noted a little later, after the requests that have
     * already arrived, so that no answer waits for it and many are noted at once.
     */
    noteAnsweredSoon: Watcher
  }
  interface FastifyRequest {
    /** Records in the answer. */
    rowsRead: number
    /** Which endpoint, where the route stands for several; set once it is known to be there for who asks. */
    endpointName: string | undefined
    /** Where the answer's data came from. The code that answers with data sets it. */
    answerSource: AnswerSource
  }
}

const traceparentOf = ({ headers: { traceparent } }: FastifyRequest): string | undefined =>
  typeof traceparent === 'string' ? traceparent : undefined

type AnswersOptions = {
  /** Where the logger writes to. Undefined: the lines go by the logger. */
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

/** Returns what writes a line for an answer to the log. */
const createAccessLog = (log: FastifyBaseLogger, stream: LogStream | undefined): Watcher => {
  const format = createFormat()
  if (stream) return (answered) => void stream.write(format(answered))
  return (answered) => {
    const {
      level: _level,
      time: _time,
      pid: _pid,
      hostname: _host,
      msg,
      ...line
    } = JSON.parse(format(answered))
    log.info(line, msg)
  }
}

/**
 * Decorates the app with the one place that learns of every sent answer, from the router or the edge. The first who is
 * told is the log, where it wants lines of level `info`.
 */
export default fp<AnswersOptions>(
  (app, { stream }, done) => {
    const isLogged = ['info', 'debug', 'trace'].includes(app.log.level)
    const watchers: Watcher[] = isLogged ? [createAccessLog(app.log, stream)] : []
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
