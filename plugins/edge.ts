import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { entryName } from '../app/cache/memory.ts'
import { type RequestHead, readHead } from '../app/edge/head.ts'
import { createReplies, createTickets, headOf, type Variant } from '../app/edge/kept.ts'
import { isEncodable } from '../app/http/encodings.ts'
import { isNotModified, wantsNoCache } from '../app/http/fields.ts'
import { findEncoding } from '../app/http/negotiation.ts'
import type { Principal } from '../app/identity/principal.ts'
import { requirePlan } from '../app/identity/principals.ts'
import { readBearer } from '../app/identity/tokens.ts'
import { formatPolicies, formatUse } from '../app/limits/headers.ts'
import { canSendPrepared, sendPrepared } from '../app/wire/prepared.ts'
import type { Deps } from './deps.ts'
import { backFrom304, one } from './limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers from memory in front of the router. Returns false if it left the request to the router. */
    answerAtEdge?(request: IncomingMessage, response: ServerResponse): boolean
    /** Answers given at the edge so far. */
    readonly edgeAnswers: number
  }
  interface FastifyRequest {
    /** The day when the request came: its answer is for that day or the next. */
    cameOn: string
  }
}

/** Remembers some 10,000 Authorization headers of the usual size. A client chooses how long its token is. */
const askerBounds = {
  maxSize: 7_000_000,
  sizeCalculation: (_: unknown, authorization: string) => authorization.length + 200,
}

/** The sender of this header, as `authenticate` takes it; with `bearer` once the token was good. */
type Asker = { headers: { authorization: string | undefined }; bearer?: string }

const holdsAll = ({ scopes: held }: Principal, needed: readonly string[]): boolean =>
  held === undefined || needed.every((scope) => held.has(scope))

/** Finds principals by the whole Authorization header. Returns undefined if the router has to judge it. */
const createIdentify = (authenticate: (asker: Asker) => Principal | Promise<Principal>) => {
  const askers = new LRUCache<string, Asker>(askerBounds)
  // A connection mostly sends the same again: comparing is cheaper than hashing a whole token.
  const lastAskers = new WeakMap<Socket, Asker>()

  const askerOf = (socket: Socket, authorization: string): Asker => {
    const last = lastAskers.get(socket)
    if (last?.headers.authorization === authorization) return last
    const known = askers.get(authorization)
    if (known) lastAskers.set(socket, known)
    return known ?? { headers: { authorization } }
  }
  /** Only in the usual spelling: with other spaces one token has thousands, of up to 16 kB each. */
  const keep = (asker: Asker, authorization: string): void => {
    const bearer = readBearer(authorization)
    if (authorization.length !== 'Bearer '.length + bearer.length) return
    askers.set(authorization, Object.assign(asker, { bearer }))
  }

  return (socket: Socket, authorization: string | undefined): Principal | undefined => {
    if (authorization === undefined) return undefined
    const asker = askerOf(socket, authorization)
    try {
      const principal = authenticate(asker)
      if (principal instanceof Promise) {
        principal.catch(() => {})
        return undefined
      }
      requirePlan(principal)
      if (asker.bearer === undefined) keep(asker, authorization)
      return principal
    } catch {
      return undefined
    }
  }
}

/**
 * Answers from memory in front of the router. It checks the token, the question, its freshness and the quotas, then
 * sends the bytes and fields that the router sent last time. It has no rules of its own. Every request that is not
 * plainly in order goes on to the router. Without this plugin the service gives the same answers.
 */
export default fp<Pick<Deps, 'config' | 'judge' | 'isDraining'>>(
  (app, { config, judge, isDraining }, done) => {
    const { cache, today, limits } = app
    // Then a client's address may come in a header.
    const hasProxies = config.trustedProxies.length > 0
    const tickets = createTickets()
    const replies = createReplies()
    const identify = createIdentify((asker) => app.authenticate(asker))
    let answers = 0

    const find = (target: string, head: RequestHead, isTls: boolean, principal: Principal) => {
      if (wantsNoCache(head.cacheControl, undefined)) return undefined
      const ticket = tickets.find(principal.customerId, target)
      if (!ticket || ticket.day !== today()) return undefined
      if (!holdsAll(principal, ticket.scopes) || !ticket.isAcceptable(head.accept)) return undefined
      const answer = cache.readAtOnce(ticket.name)
      if (!answer) return undefined
      const { entry } = answer
      const link = ticket.linkOf(entry.next)
      const isSame = isNotModified(head.ifNoneMatch, entry.etag)
      const encoding = isSame || !isEncodable(entry) ? undefined : findEncoding(head.acceptEncoding)
      const variant: Variant = { isTls, isNotModified: isSame, hasLink: link !== undefined, encoding }
      const reply = replies.find(entry, variant)
      return reply && { ticket, answer, link, reply }
    }

    const accountOf = (principal: Principal, { remoteAddress }: Socket) =>
      principal.kind === 'demo' && (hasProxies || remoteAddress === undefined)
        ? undefined
        : limits.quotas.find(principal, { clientAddress: remoteAddress ?? '' })

    const answerAtEdge = (request: IncomingMessage, response: ServerResponse): boolean => {
      const { method, httpVersion } = request
      if (method !== 'GET' || httpVersion !== '1.1' || !canSendPrepared(response)) return false
      const startedAt = performance.now()
      const head = readHead(request.rawHeaders)
      if (!head || judge.isAway() || isDraining()) return false
      const { socket, url: target = '' } = request
      const transport = app.transportOf(socket, head.forwardedProto)
      const principal = transport && identify(socket, head.authorization)
      const account = principal && accountOf(principal, socket)
      const known = account && find(target, head, transport === 'tls', principal)
      if (!known || !account.takeAtOnce(one)) return false
      const { ticket, answer, link, reply } = known
      if (reply.status === 304) account.charge(backFrom304)
      answers += 1
      const requestId = randomUUID()
      const ms = performance.now() - startedAt
      const prepared = headOf(reply, {
        ...{ requestId, asOf: answer.asOf, ms, link },
        ...{ rateLimit: formatUse(account.use()), rateLimitPolicy: formatPolicies(account.policies) },
      })
      sendPrepared(response, reply.status, prepared, reply.body)
      app.noteAnsweredSoon({
        requestId,
        method,
        route: ticket.route,
        endpoint: ticket.endpoint,
        isClosed: true,
        principal,
        refusedKeyId: undefined,
        target,
        status: reply.status,
        rows: reply.status === 304 ? 0 : (answer.entry.rows ?? 0),
        source: 'memory',
        ms,
        traceparent: head.traceparent,
      })
      return true
    }

    const remember = (request: FastifyRequest, reply: FastifyReply, body: unknown): void => {
      const { repeatable, principal } = request
      const head = repeatable && readHead(request.raw.rawHeaders)
      const transport = head && app.transportOf(request.raw.socket, head.forwardedProto)
      if (!principal || !transport || judge.isAway() || isDraining()) return
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
      replies.add(entry, variant, headers, isSame ? undefined : (body as Buffer))
      tickets.add(principal.customerId, request.raw.url as string, {
        ...repeatable.ticket,
        name: entryName(entry.customerId, entry.key),
        // Not the day of now: an answer made before midnight would be taken for the new day's.
        day: request.cameOn,
      })
    }

    app.addHook('onRequest', (request, _reply, next) => {
      request.cameOn = today()
      next()
    })
    app.addHook('onSend', (request, reply, payload, next) => {
      if (request.repeatable) remember(request, reply, payload)
      next(null, payload)
    })
    app.decorateRequest('cameOn', '')
    app.decorate('answerAtEdge', answerAtEdge)
    app.decorate('edgeAnswers', { getter: () => answers })
    done()
  },
  { name: 'edge', dependencies: ['answers', 'auth', 'cache', 'calendar', 'gate', 'quotas'], fastify: '5.x' },
)
