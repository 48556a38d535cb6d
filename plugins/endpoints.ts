import type {
  FastifyRequest,
  onRequestAsyncHookHandler,
  preValidationAsyncHookHandler,
  RouteHandler,
} from 'fastify'
import fp from 'fastify-plugin'
import type { FreshnessCheck } from '../app/cache/freshness.ts'
import { ApiError, type ErrorCode, type ErrorExtras } from '../app/errors.ts'
import { formatStale, wantsNoCache } from '../app/http/fields.ts'
import { routedMethods } from '../app/http/methods.ts'
import { requireAcceptable } from '../app/http/negotiation.ts'
import { type QueryString, splitTarget } from '../app/http/pairs.ts'
import type { Principal } from '../app/identity/principal.ts'
import { requirePlan, requireScope } from '../app/identity/rights.ts'
import type { Endpoint, EndpointParams, EndpointRequest, MinuteCost } from './endpoint.ts'

type EndpointOptions = {
  publicUrl: string
  variesWithOrigin: boolean
  freshness: Pick<FreshnessCheck, 'isUnanswered' | 'staleSeconds'>
}

declare module 'fastify' {
  interface FastifyInstance {
    endpoint(row: Endpoint): void
  }
  interface FastifyContextConfig {
    /** Set on every route that needs authentication. See `Endpoint`. */
    scope?: string | null
    demo?: false | undefined
    listScopes?: ((rawQuery: QueryString) => readonly string[]) | undefined
    minuteCost?: MinuteCost | undefined
    /** For routes that always refuse, before the check of the plan. */
    refuses?: true
  }
}

/** `/v1/…` is canonical. The others are older addresses that still work, see docs/versions.md. */
const prefixes = ['/v1', '', '/webapi/v1/api.php'] as const
/** Unknown paths below these need a token, too, except for OPTIONS, which shows if a path exists. */
const closedPrefixes = ['/v1', '/webapi/v1/api.php'] as const
const varying = 'Authorization, Accept, Accept-Encoding'
const allow = 'GET, HEAD, OPTIONS'

const authenticate = (vary: string, freshness: EndpointOptions['freshness']): onRequestAsyncHookHandler =>
  async function (request, reply) {
    reply.header('vary', vary)
    try {
      if (request.method !== 'OPTIONS') request.principal = await this.authenticateOnce(request)
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        await this.limiters.failures.delayToken(request.clientAddress)
      throw error
    } finally {
      // After authentication, which may wait for a poll. Refusals are labelled, too: rights may be stale.
      if (freshness.isUnanswered()) reply.header('cache-status', formatStale(freshness.staleSeconds()))
    }
  }

/** Records only names of endpoints that exist for the client, because clients can invent names. */
const admission =
  (row: Endpoint, admit: NonNullable<Endpoint['admit']>): preValidationAsyncHookHandler =>
  async (request) => {
    const params = request.params as Record<string, string>
    const name = () => {
      request.endpointName = row.getName?.(params)
    }
    try {
      await admit({ principal: request.principal as Principal, params })
    } catch (error) {
      // Only this refusal proves that the endpoint exists.
      if (error instanceof ApiError && error.code === 'insufficient_scope') name()
      throw error
    }
    name()
  }

/** Checks scopes and media type. Returns the request for the row. */
const authorize = (
  row: Endpoint,
  request: FastifyRequest,
  prefix: string,
  publicUrl: string,
): EndpointRequest => {
  const principal = request.principal as Principal
  if (row.demo === false && principal.kind === 'demo') throw new ApiError('live_token_required')
  if (row.scope !== null) requireScope(principal, row.scope)
  const rawQuery = request.query as QueryString
  for (const scope of row.listScopes?.(rawQuery) ?? []) requireScope(principal, scope)
  const { headers } = request
  const { path } = splitTarget(request.raw.url)
  return {
    principal,
    params: request.params as EndpointParams,
    rawQuery,
    type: requireAcceptable(headers.accept, rawQuery, row.offers(rawQuery)),
    noCache: wantsNoCache(headers['cache-control'], headers.pragma),
    // Without the query, which would be in the head twice. A whole list includes its parts (RFC 6596, section 3).
    canonical: prefix === '/v1' ? undefined : `${publicUrl}/v1${path.slice(prefix.length)}`,
  }
}

/** In a hook, so that the body is not read. */
const refusal = (scope: string | null, code: ErrorCode, extras: ErrorExtras = {}) => {
  const throwRefusal = (): never => {
    throw new ApiError(code, extras)
  }
  return { config: { scope, refuses: true as const }, onRequest: throwRefusal, handler: throwRefusal }
}

/** Authenticates every request of its scope except OPTIONS, and adds `endpoint(row)` to that scope. */
export default fp<EndpointOptions>(
  async (app, { publicUrl, variesWithOrigin, freshness }) => {
    const others = routedMethods.filter((method) => !['GET', 'HEAD', 'OPTIONS'].includes(method))
    app.addHook('onRequest', authenticate(variesWithOrigin ? `${varying}, Origin` : varying, freshness))
    // In `preValidation`: the quota of `onRequest` counts requests that are refused here.
    app.addHook('preValidation', async ({ principal, params }) => {
      if (principal) requirePlan(principal)
      // The router matches /v1/products/ as a record with an empty id.
      if (Object.values(params ?? {}).includes('')) throw new ApiError('not_found')
    })
    app.addHook('onRoute', (route) => {
      if (route.config?.scope === undefined) throw new Error(`route ${route.url} declares no scope`)
    })
    app.decorate('endpoint', (row: Endpoint) => {
      const { openapi, ...schema } = row.schema
      app.addPublicPath(row.path)
      for (const prefix of prefixes) {
        const common = {
          url: prefix + row.path,
          config: {
            scope: row.scope,
            demo: row.demo,
            listScopes: row.listScopes,
            minuteCost: row.minuteCost,
          },
          exposeHeadRoute: false,
        }
        // See docs/decisions/0220-the-handler-parses-the-query.md.
        const handler: RouteHandler = (request, reply) =>
          row.handle(authorize(row, request, prefix, publicUrl), request, reply)
        const admitted = {
          ...common,
          schema,
          handler,
          ...(row.admit ? { preValidation: admission(row, row.admit) } : {}),
        }
        const described = prefix === '/v1' && openapi ? { ...schema, openapi } : schema
        app.route({ ...admitted, method: 'GET', schema: described })
        // HEAD never exports.
        app.route({ ...admitted, config: { ...common.config, minuteCost: undefined }, method: 'HEAD' })
        const answerOptions: RouteHandler = (_request, reply) => reply.code(204).header('allow', allow).send()
        app.route({ ...common, method: 'OPTIONS', handler: answerOptions })
        const detail = 'This address is read-only: it takes GET, HEAD and OPTIONS.'
        const readOnly = refusal(row.scope, 'method_not_allowed', { detail, headers: { allow } })
        app.route({ ...common, ...readOnly, method: others })
      }
    })
    for (const prefix of closedPrefixes) {
      app.route({ ...refusal(null, 'not_found'), method: [...routedMethods], url: `${prefix}/*` })
    }
  },
  {
    name: 'endpoints',
    dependencies: ['answers', 'auth', 'gate', 'limiters', 'problems', 'transport'],
    fastify: '5.x',
  },
)
