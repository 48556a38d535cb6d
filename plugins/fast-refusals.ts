import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Principal } from '../app/auth/principal.ts'
import type { Judge } from '../app/cache/freshness.ts'
import { ApiError, type ErrorCode } from '../app/errors.ts'
import { headLine, sendPrepared } from '../app/http/prepared.ts'
import { type Head, readHead } from '../app/lane/head.ts'
import { createRefusals } from '../app/lane/refusals.ts'
import { createRoutes } from '../app/lane/routes.ts'
import type { Account } from '../app/limits/account.ts'
import { formatUse } from '../app/limits/headers.ts'
import { refuseQuota } from '../app/limits/refusal.ts'
import { checkTarget } from './gate.ts'
import { costsFor, isForbiddenTo, one, policyHeader } from './limits.ts'

export type FastRefusalsOptions = {
  publicUrl: string
  judge: Pick<Judge, 'isAway'>
}

/** A request that the lane has read so far. */
export type Arrived = Readonly<{
  request: IncomingMessage
  response: ServerResponse
  fields: Head
  isTls: boolean
  startedAt: number
}>

/** Answers as the router would, without it; false: it did nothing. */
type FastRefusals = {
  /** 401 for a request whose token is none, or none that is good. */
  credentials(arrived: Arrived, error: unknown, refusedKeyId: string | undefined): boolean
  /** 429 for one of somebody known where there is plainly no room for it. */
  overQuota(arrived: Arrived, principal: Principal, account: Account): boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    refuseFast: FastRefusals
  }
  interface FastifyInstance {
    /** Refusals sent that way so far, for tests. */
    readonly fastRefusals: number
  }
  interface FastifyRequest {
    /** What it is refused for. */
    refusedFor: ApiError | undefined
  }
}

/** Those that floods get: of tokens that are not good, and of customers over their quota. */
const codes = new Set<ErrorCode>([
  'credentials_required',
  'invalid_token',
  'token_expired',
  'token_revoked',
  'quota_exceeded',
])

const quotaExceeded: ErrorCode = 'quota_exceeded'

/** One that is ready to be sent. */
type Refusal = Readonly<{
  requestId: string
  route: string
  status: number
  code: ErrorCode
  head: string
  body: string
  /** Milliseconds from the request's arrival until it was judged. */
  ms: number
  /** Violated. */
  policies?: readonly string[]
  principal?: Principal
  refusedKeyId?: string | undefined
}>

type Route = Readonly<{ url: string; config: FastifyContextConfig }>

const splitTarget = (target: string): [path: string, query: string] => {
  const mark = target.indexOf('?')
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)]
}

/**
 * Refuses floods at a fraction of what the router takes for it, so that their neighbours are answered in time. It
 * refuses only where the same rules, asked in the same order, leave nothing else, and sends what the router sent when
 * it last refused for that.
 */
export default fp<FastRefusalsOptions>(
  (app, { publicUrl, judge }, done) => {
    const refusals = createRefusals(publicUrl)
    const routes = createRoutes<FastifyContextConfig>()
    let count = 0

    app.addHook('onRoute', ({ url, method, config }) => {
      const isGet = method === 'GET' || (Array.isArray(method) && method.includes('GET'))
      if (isGet && config?.scope !== undefined && !config.refuses) routes.add(url, config)
    })

    /** Where the request goes; undefined: what comes before who asks is not plainly in order. */
    const routeOf = (target: string): Route | undefined => {
      const route = routes.find(splitTarget(target)[0])
      try {
        if (route) checkTarget(target, 'GET')
        return route
      } catch {
        return undefined
      }
    }

    const send = (
      { request, response, fields }: Arrived,
      { requestId, route, status, code, policies, head, body, principal, refusedKeyId, ms }: Refusal,
    ): void => {
      sendPrepared(response, status, head, body)
      app.metrics.noteProblem(code, policies)
      app.noteAnsweredSoon({
        requestId,
        method: 'GET',
        route,
        isClosed: true,
        principal,
        refusedKeyId,
        target: request.url as string,
        status,
        rows: 0,
        source: 'none',
        ms,
        traceparent: fields.traceparent,
      })
    }

    const refuseCredentials: FastRefusals['credentials'] = (arrived, error, refusedKeyId) => {
      if (!(error instanceof ApiError) || error.status !== 401 || !codes.has(error.code)) return false
      const { code, message, status } = error
      const route = routeOf(arrived.request.url as string)
      if (!route) return false
      const requestId = randomUUID()
      const known = refusals.compose(code, arrived.isTls, message, () => error, requestId)
      if (!known) return false
      count += 1
      const ms = performance.now() - arrived.startedAt
      const refusal = { requestId, route: route.url, status, code, ...known, refusedKeyId, ms }
      send(arrived, refusal)
      return true
    }

    const refuseOverQuota: FastRefusals['overQuota'] = (arrived, principal, account) => {
      if (!account.refuseAtOnce(one)) return false
      const target = arrived.request.url as string
      const route = routeOf(target)
      if (!route) return false
      const query = splitTarget(target)[1]
      if (isForbiddenTo(principal, route.config, query)) return false
      const admission = account.refuseAtOnce(costsFor(route.config, query, arrived.fields.accept))
      if (!admission) return false
      const { violated, retryAfterSeconds } = admission
      const requestId = randomUUID()
      const name = `${violated.join()} ${retryAfterSeconds}`
      const known = refusals.compose(
        quotaExceeded,
        arrived.isTls,
        name,
        () => refuseQuota(admission),
        requestId,
      )
      if (!known) return false
      count += 1
      const head =
        known.head +
        headLine('ratelimit-policy', policyHeader(account.policies)) +
        headLine('ratelimit', formatUse(account.use()))
      const { body } = known
      const ms = performance.now() - arrived.startedAt
      const asked = { requestId, route: route.url, principal, ms }
      const refusal = { ...asked, status: 429, code: quotaExceeded, policies: violated, head, body }
      send(arrived, refusal)
      return true
    }

    app.decorate('refuseFast', { credentials: refuseCredentials, overQuota: refuseOverQuota })

    const learn = (request: FastifyRequest, reply: FastifyReply, error: ApiError): void => {
      // Whatever is more than a plain request may have brought fields of its own.
      const head = readHead(request.raw.rawHeaders)
      const transport = head && app.transportOf(request.raw.socket, head.forwardedProto)
      if (!transport || request.routeOptions.config.scope === undefined || judge.isAway()) return
      // Other refusals of the same code are of what runs at once.
      if (error.code === 'quota_exceeded' && !request.isOverQuota) return
      refusals.learn(error, transport === 'tls', reply.getHeaders())
    }
    app.decorate('fastRefusals', { getter: () => count })
    app.decorateRequest('refusedFor', undefined)
    app.addHook('onError', (request, _reply, error, next) => {
      if (error instanceof ApiError && codes.has(error.code)) request.refusedFor = error
      next()
    })
    app.addHook('onSend', (request, reply, payload, next) => {
      if (request.refusedFor) learn(request, reply, request.refusedFor)
      next(null, payload)
    })
    done()
  },
  { name: 'fast-refusals', dependencies: ['answers', 'auth', 'gate', 'metrics'], fastify: '5.x' },
)
