import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { entryName } from '../app/cache/memory.ts'
import {
  type CachedResponses,
  createCachedResponses,
  createKnownTargets,
  type KnownTargets,
  type Variant,
} from '../app/edge/cached-responses.ts'
import { createConnections, createIdentify } from '../app/edge/connection.ts'
import { createEdge, type EdgeAnswer } from '../app/edge/edge.ts'
import { field, readHead } from '../app/edge/head.ts'
import { sendHttp1, sendHttp2 } from '../app/edge/send.ts'
import type { FrontStream } from '../app/http/listener.ts'
import { canSendPrepared, createPreparedSender } from '../app/wire/prepared.ts'
import type { Deps } from './deps.ts'
import { maxHeaderBytes } from './gate.ts'
import { plainCosts, refundFor304 } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyInstance {
    answerAtEdge?(request: IncomingMessage, response: ServerResponse): boolean
    answerStreamAtEdge?: FrontStream
    readonly edgeAnswers: number
  }
  interface FastifyRequest {
    arrivalDay: string
  }
}

const createRemember =
  (
    app: FastifyInstance,
    kept: { knownTargets: KnownTargets; responses: CachedResponses },
    isClosed: () => boolean,
  ) =>
  (request: FastifyRequest, reply: FastifyReply, body: unknown): void => {
    const { repeatable, principal, raw } = request
    const head = repeatable && readHead(raw.rawHeaders, raw.httpVersionMajor === 2, maxHeaderBytes)
    const transport = head && app.getTransport(raw.socket, head[field.forwardedProto])
    if (!principal || !transport || isClosed()) return
    const isSame = reply.statusCode === 304
    if (!isSame && !(reply.statusCode === 200 && Buffer.isBuffer(body))) return
    const { entry } = repeatable.answer
    const headers = reply.getHeaders()
    const variant: Variant = {
      isTls: transport === 'tls',
      isNotModified: isSame,
      hasLink: headers.link !== undefined,
      encoding: headers['content-encoding'] as string | undefined,
    }
    kept.responses.add(entry, variant, headers, isSame ? undefined : (body as Buffer))
    kept.knownTargets.add(principal.customerId, raw.url as string, {
      ...repeatable.knownTarget,
      name: entryName(entry.customerId, entry.key),
      // Not today: midnight may have passed since the request.
      day: request.arrivalDay,
    })
  }

const createRecord =
  (app: FastifyInstance) =>
  ({ response, perRequest, knownTarget, principal, rows, traceparent }: EdgeAnswer, target: string): void =>
    app.recordAnswerSoon({
      requestId: perRequest.requestId,
      method: 'GET',
      route: knownTarget.route,
      endpoint: knownTarget.endpoint,
      isClosed: true,
      principal,
      refusedKeyId: undefined,
      target,
      status: response.status,
      rows,
      source: 'memory',
      ms: perRequest.ms,
      traceparent,
    })

/** Repeats earlier answers of the router in front of it. The router gets every unusual request. */
export default fp<Pick<Deps, 'config' | 'freshness' | 'isDraining'>>(
  async (app, { config, freshness, isDraining }) => {
    const isClosed = () => freshness.isAway() || isDraining()
    const kept = { knownTargets: createKnownTargets(), responses: createCachedResponses() }
    const findConnection = createConnections()
    const answer = createEdge({
      ...kept,
      identify: createIdentify((asker) => app.authenticate(asker)),
      cache: app.cache,
      quotas: app.limiters.quotas,
      costs: { request: plainCosts, backFrom304: refundFor304 },
      today: app.today,
      getTransport: app.getTransport,
      hasProxies: config.trustedProxies.length > 0,
      isClosed,
      maxHeaderBytes,
    })
    const record = createRecord(app)
    const sendPrepared = createPreparedSender(config.keepAliveMs)
    let answers = 0

    app.decorate(
      'answerAtEdge',
      ({ method, httpVersion, rawHeaders, socket, url: target = '' }, response) => {
        if (method !== 'GET' || httpVersion !== '1.1' || !canSendPrepared(response)) return false
        const found = answer({ target, rawHeaders, isHttp2: false, connection: findConnection(socket) })
        if (!found) return false
        sendHttp1(sendPrepared, response, found.response, found.perRequest)
        answers += 1
        record(found, target)
        return true
      },
    )
    app.decorate('answerStreamAtEdge', (stream, method, target, rawHeaders) => {
      const { session } = stream
      if (method !== 'GET' || typeof target !== 'string' || !stream.endAfterHeaders) return false
      if (!session || stream.destroyed || stream.closed) return false
      const found = answer({ target, rawHeaders, isHttp2: true, connection: findConnection(session) })
      if (!found) return false
      sendHttp2(stream, found.response, found.perRequest)
      answers += 1
      record(found, target)
      return true
    })
    app.decorate('edgeAnswers', { getter: () => answers })

    const remember = createRemember(app, kept, isClosed)
    app.decorateRequest('arrivalDay', '')
    app.addHook('onRequest', (request, _reply, next) => {
      request.arrivalDay = app.today()
      next()
    })
    app.addHook('onSend', (request, reply, payload, next) => {
      if (request.repeatable) remember(request, reply, payload)
      next(null, payload)
    })
  },
  {
    name: 'edge',
    dependencies: ['answers', 'auth', 'cache', 'data', 'gate', 'limiters', 'transport'],
    fastify: '5.x',
  },
)
