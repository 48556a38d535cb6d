import type { onRequestAsyncHookHandler, preHandlerAsyncHookHandler, RouteHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Judge } from '../app/cache/freshness.ts'
import { ApiError, type ErrorCode, type ErrorExtras } from '../app/errors.ts'
import { formatStale } from '../app/http/fields.ts'
import { routedMethods } from '../app/http/methods.ts'
import type { Principal } from '../app/identity/principal.ts'
import { requirePlan } from '../app/identity/principals.ts'
import type { Endpoint, MinuteCost } from './endpoint.ts'
import { costOf, handlerOf } from './endpoint-handler.ts'

type EndpointOptions = {
  publicUrl: string
  /** Whether answers also vary with the page that asks (CORS). */
  variesWithOrigin: boolean
  judge: Pick<Judge, 'isUnanswered' | 'staleSeconds'>
}

declare module 'fastify' {
  interface FastifyInstance {
    endpoint(row: Endpoint): void
  }
  interface FastifyContextConfig {
    /** Set on every route behind authentication. See `Endpoint`. */
    scope?: string | null
    demo?: false | undefined
    scopesOf?: ((rawQuery: string) => readonly string[]) | undefined
    minuteCost?: MinuteCost | undefined
    /** Routes that refuse the path or method: they come before the judgement of the plan. */
    refuses?: true
  }
}

/** `/v1/…` is canonical; the others are the customer's earlier forms of the same. */
const prefixes = ['/v1', '', '/webapi/v1/api.php'] as const
/** Below these everything needs a token, so that an unknown path tells a stranger nothing. */
const closedPrefixes = ['/v1', '/webapi/v1/api.php'] as const
const varying = 'Authorization, Accept, Accept-Encoding'
const allow = 'GET, HEAD, OPTIONS'

const authenticate = (vary: string, judge: EndpointOptions['judge']): onRequestAsyncHookHandler =>
  async function (request, reply) {
    // What varies with the token varies for every answer from here on, refusals included.
    reply.header('vary', vary)
    try {
      if (request.method !== 'OPTIONS') request.principal = await this.authenticate(request)
    } finally {
      // Rights may have changed meanwhile, so refusals carry the label, too. Only now that the rights are known: a
      // request that waited for a failed poll was judged by older rights.
      if (judge.isUnanswered()) reply.header('cache-status', formatStale(judge.staleSeconds()))
    }
  }

/**
 * Asks a row whether it admits this principal. Only who may know of an endpoint has its name written down: what
 * strangers make up is without bound. Of a refusal, the lack of a scope alone tells that the endpoint exists.
 */
const admission =
  (row: Endpoint, admit: NonNullable<Endpoint['admit']>): preHandlerAsyncHookHandler =>
  async (request) => {
    const params = request.params as Record<string, string>
    const name = () => {
      request.endpointName = row.nameOf?.(params)
    }
    try {
      await admit({ principal: request.principal as Principal, params })
    } catch (error) {
      if (error instanceof ApiError && error.code === 'insufficient_scope') name()
      throw error
    }
    name()
  }

/** As a hook, so that the refusal comes before the body is looked at. */
const refusal = (scope: string | null, code: ErrorCode, extras: ErrorExtras = {}) => {
  const refuse = (): never => {
    throw new ApiError(code, extras)
  }
  return { config: { scope, refuses: true as const }, onRequest: refuse, handler: refuse }
}

/**
 * Makes the scope it is registered in one where every request is authenticated first, and gives it
 * `endpoint(row)`.
 */
export default fp<EndpointOptions>(
  (app, { publicUrl, variesWithOrigin, judge }, done) => {
    const others = routedMethods.filter((method) => !['GET', 'HEAD', 'OPTIONS'].includes(method))
    app.addHook('onRequest', authenticate(variesWithOrigin ? `${varying}, Origin` : varying, judge))
    // After the limits, which count also who is refused here, and tell how much is left.
    app.addHook('preHandler', async ({ principal, params }) => {
      if (principal) requirePlan(principal)
      // The router matches /v1/products/ as a record without an id.
      if (Object.values(params ?? {}).includes('')) throw new ApiError('not_found')
    })
    app.addHook('onRoute', (route) => {
      // A route behind authentication that does not say what it needs is a hole: the start fails.
      if (route.config?.scope === undefined) throw new Error(`route ${route.url} declares no scope`)
    })
    app.decorate('endpoint', (row: Endpoint) => {
      for (const prefix of prefixes) {
        const common = {
          url: prefix + row.path,
          config: { scope: row.scope, demo: row.demo, scopesOf: row.scopesOf, minuteCost: costOf(row) },
          exposeHeadRoute: false,
          // The query grammar judges queries: every fault at once, which a validator cannot tell.
          validatorCompiler: () => () => true,
        }
        const schema = prefix === '/v1' ? row.schema : {}
        const admitted = { ...common, ...(row.admit ? { preHandler: admission(row, row.admit) } : {}) }
        app.route({ ...admitted, method: 'GET', schema, handler: handlerOf(row, prefix, publicUrl) })
        // A HEAD request reads no rows, so it costs one.
        const config = { ...common.config, minuteCost: undefined }
        app.route({ ...admitted, config, method: 'HEAD', handler: handlerOf(row, prefix, publicUrl) })
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
    done()
  },
  { name: 'endpoints', dependencies: ['answers', 'auth', 'gate', 'problems'], fastify: '5.x' },
)
