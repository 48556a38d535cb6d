import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../app/auth/principal.ts'
import { requirePlan } from '../app/auth/principals.ts'
import { readBearer } from '../app/auth/tokens.ts'
import { isEncodable } from '../app/cache/encodings.ts'
import type { Judge } from '../app/cache/freshness.ts'
import { entryName } from '../app/cache/memory.ts'
import type { Answer, ReadThrough } from '../app/cache/read-through.ts'
import { isNotModified, wantsNoCache } from '../app/http/conditional.ts'
import { findEncoding } from '../app/http/negotiation.ts'
import { canSendPrepared, sendPrepared } from '../app/http/prepared.ts'
import { readHead } from '../app/lane/head.ts'
import { createReplies, headOf, type Reply, type Variant } from '../app/lane/replies.ts'
import { createTickets, type Ticket } from '../app/lane/tickets.ts'
import type { Account } from '../app/limits/account.ts'
import { formatUse } from '../app/limits/headers.ts'
import type { Quotas } from '../app/limits/quotas.ts'
import type { Arrived } from './fast-refusals.ts'
import { backFrom304, one, policyHeader } from './limits.ts'

export type FastLaneOptions = {
  cache: Pick<ReadThrough, 'readAtOnce'>
  judge: Pick<Judge, 'isAway'>
  quotas: Quotas
  /** The UTC date, YYYY-MM-DD. */
  today: () => string
  isDraining: () => boolean
  /** Whether a client's address may come in a header. */
  hasProxies: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Answers what memory can answer, without the router; false: it did nothing. */
    answerFast(request: IncomingMessage, response: ServerResponse): boolean
    /** Answers given that way so far, for tests and metrics. */
    readonly fastAnswers: number
  }
  interface FastifyRequest {
    /** The day when it came: its answer is for that one or the next. */
    cameOn: string
    /** Set where the answer may be given again without the router, until it is not the newest any more. */
    repeatable: Repeatable | undefined
  }
}

/** Authorization headers remembered, at about 0.7 kB: 7 MB. */
const maxAskers = 10_000

/** What the next request of this kind needs to know. */
export type Repeatable = Readonly<{ ticket: Omit<Ticket, 'day' | 'name'>; answer: Answer }>

/** Whoever sends this, as `authenticate` takes it; with `bearer` once the token was good. */
type Asker = {
  headers: { authorization: string | undefined }
  bearer?: string
  refusedKeyId?: string | undefined
}

type Known = Readonly<{ ticket: Ticket; answer: Answer; link: string | undefined; reply: Reply }>

const holdsAll = ({ scopes: held }: Principal, needed: readonly string[]): boolean =>
  held === undefined || needed.every((scope) => held.has(scope))

/**
 * The way of a request that memory can answer, in front of the router: who asks, what was asked, is it fresh,
 * is there room in the quotas; then the bytes that the router sent last time. It knows no rule of its own: whatever is
 * neither plainly in order nor plainly one of the refusals of `fast-refusals` goes on to the router, as if it had not
 * been here.
 */
export default fp<FastLaneOptions>(
  (app, { cache, judge, quotas, today, isDraining, hasProxies }, done) => {
    const tickets = createTickets()
    const replies = createReplies()
    let answers = 0
    const askers = new LRUCache<string, Asker>({ max: maxAskers })

    // A connection mostly sends the same again: to compare is cheaper than to hash a whole token.
    const lastAskers = new WeakMap<Socket, Asker>()
    const askerOf = (socket: Socket, authorization: string | undefined): Asker => {
      const last = lastAskers.get(socket)
      if (last && last.headers.authorization === authorization) return last
      const known = authorization === undefined ? undefined : askers.get(authorization)
      if (known) lastAskers.set(socket, known)
      return known ?? { headers: { authorization } }
    }
    /** In its usual spelling alone: with other spaces one token has thousands, of up to 16 kB each. */
    const keep = (asker: Asker): void => {
      const { authorization } = asker.headers
      if (asker.bearer !== undefined || authorization === undefined) return
      const bearer = readBearer(authorization)
      if (authorization.length !== 'Bearer '.length + bearer.length) return
      asker.bearer = bearer
      askers.set(authorization, asker)
    }

    /** Who asks; an error: why that is nobody who may; undefined: it cannot be said at once. */
    const identify = (asker: Asker): Principal | Error | undefined => {
      asker.refusedKeyId = undefined
      try {
        const principal = app.authenticate(asker)
        if (principal instanceof Promise) {
          principal.catch(() => {})
          return undefined
        }
        requirePlan(principal)
        keep(asker)
        return principal
      } catch (error) {
        return error as Error
      }
    }

    const find = ({ request, fields: head, isTls }: Arrived, principal: Principal): Known | undefined => {
      if (wantsNoCache(head.cacheControl, undefined)) return undefined
      const ticket = tickets.find(principal.customerId, request.url as string)
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

    const accountOf = (principal: Principal, { remoteAddress }: Socket): Account | undefined => {
      if (principal.kind === 'demo' && (hasProxies || remoteAddress === undefined)) return undefined
      return quotas.find(principal, { ip: remoteAddress ?? '' })
    }

    const send = (arrived: Arrived, principal: Principal, account: Account, known: Known): void => {
      const { request, response, fields, startedAt } = arrived
      const { ticket, answer, link, reply } = known
      if (reply.status === 304) account.charge(backFrom304)
      answers += 1
      const requestId = randomUUID()
      const ms = performance.now() - startedAt
      const head = headOf(reply, {
        requestId,
        asOf: answer.asOf,
        ms,
        rateLimit: formatUse(account.use()),
        rateLimitPolicy: policyHeader(account.policies),
        link,
      })
      sendPrepared(response, reply.status, head, reply.body)
      app.noteAnsweredSoon({
        requestId,
        method: 'GET',
        route: ticket.route,
        endpoint: ticket.endpoint,
        isClosed: true,
        principal,
        refusedKeyId: undefined,
        target: request.url as string,
        status: reply.status,
        rows: reply.status === 304 ? 0 : (answer.entry.rows ?? 0),
        source: 'memory',
        ms,
        traceparent: fields.traceparent,
      })
    }

    const answerFast = (request: IncomingMessage, response: ServerResponse): boolean => {
      if (request.method !== 'GET' || request.httpVersion !== '1.1' || !canSendPrepared(response))
        return false
      const startedAt = performance.now()
      const fields = readHead(request.rawHeaders)
      if (!fields || judge.isAway() || isDraining()) return false
      const { socket } = request
      const transport = app.transportOf(socket, fields.forwardedProto)
      if (!transport) return false
      const arrived = { request, response, fields, isTls: transport === 'tls', startedAt }
      const asker = askerOf(socket, fields.authorization)
      const principal = identify(asker)
      if (principal === undefined) return false
      if (principal instanceof Error) {
        return app.refuseFast.credentials(arrived, principal, asker.refusedKeyId)
      }
      const account = accountOf(principal, socket)
      if (!account) return false
      const known = find(arrived, principal)
      if (!known || !account.takeAtOnce(one)) {
        return app.refuseFast.overQuota(arrived, principal, account)
      }
      send(arrived, principal, account, known)
      return true
    }

    const remember = (request: FastifyRequest, reply: FastifyReply, body: unknown): void => {
      const { repeatable, principal } = request
      const head = repeatable && readHead(request.raw.rawHeaders)
      const transport = head && app.transportOf(request.raw.socket, head.forwardedProto)
      if (!principal || !transport || judge.isAway() || isDraining()) return
      const { statusCode } = reply
      if (statusCode !== 304 && !(statusCode === 200 && Buffer.isBuffer(body))) return
      const { entry } = repeatable.answer
      const headers = reply.getHeaders()
      const variant: Variant = {
        isTls: transport === 'tls',
        isNotModified: statusCode === 304,
        hasLink: headers.link !== undefined,
        encoding: headers['content-encoding'] as string | undefined,
      }
      replies.add(entry, variant, headers, statusCode === 200 ? (body as Buffer) : undefined)
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
    app.decorateRequest('repeatable', undefined)
    app.decorate('answerFast', answerFast)
    app.decorate('fastAnswers', { getter: () => answers })
    done()
  },
  { name: 'fast-lane', dependencies: ['answers', 'auth', 'gate', 'fast-refusals'], fastify: '5.x' },
)
