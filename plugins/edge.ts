import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { entryName } from '../app/cache/memory.ts'
import {
  type CachedResponses,
  createCachedResponses,
  createKnownTargets,
  type KnownTarget,
  type KnownTargets,
  type Variant,
} from '../app/edge/cached-responses.ts'
import { createConnections, createIdentify } from '../app/edge/connection.ts'
import { createEdge, type EdgeAnswer, type EdgeRequest } from '../app/edge/edge.ts'
import { field, readHead, sendHttp1, sendHttp2 } from '../app/edge/head.ts'
import { jsonType } from '../app/http/formats.ts'
import type { FrontStream } from '../app/http/listener.ts'
import { getChoice, typeByFormat } from '../app/http/negotiation.ts'
import { canSendPrepared, createPreparedSender } from '../app/wire/prepared.ts'
import type { CachedAnswer } from './answers.ts'
import type { Deps } from './deps.ts'
import { formatLinks } from './entry-reply.ts'
import { maxHeaderBytes } from './gate.ts'
import { plainCosts, refundFor304 } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyInstance {
    answerAtEdge?(request: IncomingMessage, response: ServerResponse): boolean
    answerStreamAtEdge?: FrontStream
    readonly edgeAnswers: number
  }
}

const memoizeLast = <A, R>(compute: (argument: A) => R): ((argument: A) => R) => {
  let last: { argument: A; result: R } | undefined
  return (argument) => {
    if (last?.argument !== argument || !last) last = { argument, result: compute(argument) }
    return last.result
  }
}

/** From the second request on, because most queries are sent only once. */
const isRepeated = ({ answer, asked }: CachedAnswer, { method }: FastifyRequest): boolean =>
  method === 'GET' && !asked.noCache && answer.outcome === 'memory' && !answer.staleSeconds

/** `undefined` if the edge must not repeat answers for this target. */
const toKnownTarget = (
  { row, day, asked: { rawQuery, params }, answer: { entry }, links }: CachedAnswer,
  request: FastifyRequest,
): KnownTarget | undefined => {
  const scope = row.scope ?? row.getScope?.(params)
  if (row.demo === false || scope === undefined) return undefined
  const wanted = typeByFormat(rawQuery)
  const choose = getChoice(row.offers(rawQuery))
  return {
    name: entryName(entry.customerId, entry.key),
    route: request.routeOptions.url ?? '',
    endpoint: request.endpointName,
    scopes: [scope, ...(row.listScopes?.(rawQuery) ?? [])],
    day,
    isAcceptable: wanted === undefined ? (accept) => choose(accept) === jsonType : () => wanted === jsonType,
    formatNextLink: memoizeLast((next: string | undefined) => formatLinks(next, links)),
  }
}

const createRemember =
  (
    app: FastifyInstance,
    kept: { knownTargets: KnownTargets; responses: CachedResponses },
    isClosed: () => boolean,
  ) =>
  (cached: CachedAnswer, request: FastifyRequest, reply: FastifyReply, body: unknown): void => {
    const { principal, raw } = request
    const knownTarget = isRepeated(cached, request) ? toKnownTarget(cached, request) : undefined
    const head = knownTarget && readHead(raw.rawHeaders, raw.httpVersionMajor === 2, maxHeaderBytes)
    const transport = head && app.getTransport(raw.socket, head[field.forwardedProto])
    if (!principal || !transport || isClosed()) return
    const isSame = reply.statusCode === 304
    if (!isSame && !(reply.statusCode === 200 && Buffer.isBuffer(body))) return
    const headers = reply.getHeaders()
    const variant: Variant = {
      isTls: transport === 'tls',
      isNotModified: isSame,
      hasLink: headers.link !== undefined,
      encoding: headers['content-encoding'] as string | undefined,
    }
    kept.responses.add(cached.answer.entry, variant, headers, isSame ? undefined : (body as Buffer))
    kept.knownTargets.add(principal.customerId, raw.url as string, knownTarget)
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
      bytes: response.body?.length ?? 0,
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
    const answerOrHandOver = (raw: IncomingMessage | ServerHttp2Stream, request: EdgeRequest) => {
      const found = answer(request)
      if (found?.response) return found
      if (found) app.handOver(raw, found.principal)
      return undefined
    }
    const record = createRecord(app)
    const sendPrepared = createPreparedSender(config.keepAliveMs)
    let answers = 0

    app.decorate('answerAtEdge', (request, response) => {
      const { method, httpVersion, rawHeaders, socket, url: target = '' } = request
      if (method !== 'GET' || httpVersion !== '1.1' || !canSendPrepared(response)) return false
      const connection = findConnection(socket)
      const found = answerOrHandOver(request, { target, rawHeaders, isHttp2: false, connection })
      if (!found) return false
      sendHttp1(sendPrepared, response, found.response, found.perRequest)
      answers += 1
      record(found, target)
      return true
    })
    app.decorate('answerStreamAtEdge', (stream, method, target, rawHeaders) => {
      const { session } = stream
      if (method !== 'GET' || typeof target !== 'string' || !stream.endAfterHeaders) return false
      if (!session || stream.destroyed || stream.closed) return false
      const connection = findConnection(session)
      const found = answerOrHandOver(stream, { target, rawHeaders, isHttp2: true, connection })
      if (!found) return false
      sendHttp2(stream, found.response, found.perRequest)
      answers += 1
      record(found, target)
      return true
    })
    app.decorate('edgeAnswers', { getter: () => answers })

    const remember = createRemember(app, kept, isClosed)
    app.addHook('onSend', (request, reply, payload, next) => {
      if (request.cached) remember(request.cached, request, reply, payload)
      next(null, payload)
    })
  },
  {
    name: 'edge',
    dependencies: ['answers', 'auth', 'cache', 'data', 'gate', 'limiters', 'transport'],
    fastify: '5.x',
  },
)
