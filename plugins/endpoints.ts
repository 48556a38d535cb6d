import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
} from 'fastify'
import fp from 'fastify-plugin'
import type { Judge } from '../app/cache/freshness.ts'
import type { Answer } from '../app/cache/question.ts'
import type { Ticket } from '../app/edge/tickets.ts'
import { ApiError } from '../app/errors.ts'
import { formatStale } from '../app/http/cache-status.ts'
import { routedMethods } from '../app/http/methods.ts'
import type { Principal } from '../app/identity/principal.ts'
import { requirePlan } from '../app/identity/principals.ts'
import type { Endpoint, MinuteCost } from './endpoint.ts'
import { admission } from './endpoint-admission.ts'
import { costOf, handlerOf } from './endpoint-handler.ts'

export type EndpointOptions = {
  publicUrl: string
  /** Whether answers also vary with the page that asks (CORS). */
  variesWithOrigin: boolean
  judge: Pick<Judge, 'isUnanswered' | 'staleSeconds'>
}

declare module 'fastify' {
  interface FastifyInstance {
    endpoint(row: Endpoint): void
  }
  interface FastifyRequest {
    principal: Principal | undefined
    /** What the edge needs to know to give this answer again; undefined: it may not. */
    repeatable: Readonly<{ ticket: Omit<Ticket, 'day' | 'name'>; answer: Answer }> | undefined
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

const authenticate = (vary: string, judge: EndpointOptions['judge']): onRequestHookHandler =>
  function (request, reply, next) {
    // What varies with the token varies for every answer from here on, refusals included.
    reply.header('vary', vary)
    // Rights may have changed meanwhile, so refusals carry the label, too. Call it after the rights are known: a
    // request that waited for a failed poll was judged by older rights.
    const sayAway = () => {
      if (judge.isUnanswered()) reply.header('cache-status', formatStale(judge.staleSeconds()))
    }
    if (request.method === 'OPTIONS') {
      sayAway()
      return next()
    }
    const admit = (known: Principal) => {
      sayAway()
      request.principal = known
      next()
    }
    const refuse = (error: Error) => {
      sayAway()
      next(error)
    }
    const principal = tryAuthenticate(this, request)
    if (principal instanceof Promise) principal.then(admit, refuse)
    else if (principal instanceof Error) refuse(principal)
    else admit(principal)
  }

/** What is thrown at once is an answer, too. */
const tryAuthenticate = (app: FastifyInstance, request: FastifyRequest) => {
  try {
    return app.authenticate(request)
  } catch (error) {
    return error as Error
  }
}

/** After the limits, which count also who is refused here, and tell how much is left. */
const judgePlan: preHandlerHookHandler = ({ principal }, _reply, next) => {
  if (principal) requirePlan(principal)
  next()
}

const refuseMethod = (): never => {
  throw new ApiError('method_not_allowed', { headers: { allow } })
}

const refusePath = (): never => {
  throw new ApiError('not_found')
}

/** As a hook, so that the refusal comes before the body is looked at. */
const refusal = (scope: string | null, refuse: () => never) => ({
  config: { scope, refuses: true as const },
  onRequest: refuse,
  handler: refuse,
})

/**
 * Makes the scope it is registered in one where every request is authenticated first, and gives it
 * `endpoint(row)`.
 */
export default fp<EndpointOptions>(
  (app, { publicUrl, variesWithOrigin, judge }, done) => {
    const others = routedMethods.filter((method) => !['GET', 'HEAD', 'OPTIONS'].includes(method))
    app.decorateRequest('principal', undefined)
    app.decorateRequest('repeatable', undefined)
    app.addHook('onRequest', authenticate(variesWithOrigin ? `${varying}, Origin` : varying, judge))
    app.addHook('preHandler', judgePlan)
    app.addHook('onRoute', (route) => {
      // A route behind authentication that does not say what it needs is a hole: the start fails.
      if (route.config?.scope === undefined) throw new Error(`route ${route.url} declares no scope`)
    })
    app.decorate('endpoint', (row: Endpoint) => {
      for (const prefix of prefixes) {
        const common = {
          url: prefix + row.path,
          config: { scope: row.scope, demo: row.demo, scopesOf: row.scopesOf, minuteCost: costOf(row) },
          schema: { hide: true },
          exposeHeadRoute: false,
          // The query grammar judges queries: every fault at once, which a validator cannot tell.
          validatorCompiler: () => () => true,
        }
        const schema = prefix === '/v1' ? row.schema : common.schema
        const admitted = { ...common, ...(row.admit ? { preHandler: admission(row, row.admit) } : {}) }
        app.route({ ...admitted, method: 'GET', schema, handler: handlerOf(row, prefix, publicUrl) })
        // A HEAD request never streams, so it costs what the row says.
        const config = { ...common.config, minuteCost: row.minuteCost }
        app.route({ ...admitted, config, method: 'HEAD', handler: handlerOf(row, prefix, publicUrl) })
        app.route({ ...common, method: 'OPTIONS', handler: answerOptions })
        app.route({ ...common, ...refusal(row.scope, refuseMethod), method: others })
      }
    })
    for (const prefix of closedPrefixes) {
      app.route({
        ...refusal(null, refusePath),
        method: [...routedMethods],
        url: `${prefix}/*`,
        schema: { hide: true },
      })
    }
    done()
  },
  { name: 'endpoints', dependencies: ['auth', 'gate', 'problems'], fastify: '5.x' },
)

const answerOptions = (_request: FastifyRequest, reply: FastifyReply) =>
  reply.code(204).header('allow', allow).send()
