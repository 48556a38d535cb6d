import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Principal } from '../app/identity/principal.ts'
import type { Account } from '../app/limits/account.ts'
import { formatPolicies, formatUse } from '../app/limits/headers.ts'
import type { Admission, Costs } from '../app/limits/meters.ts'
import type { Policy } from '../app/limits/policy.ts'
import { refuseQuota } from '../app/limits/refusal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The account that the request was charged to. Undefined if the client is not known. */
    quotas: Account | undefined
  }
}

/** What a plain request costs, and what a 304 gives back. */
export const one: Costs = [1, 1]
export const backFrom304: Costs = [0, -1]

const queryOf = ({ raw: { url = '' } }: FastifyRequest): string => {
  const mark = url.indexOf('?')
  return mark === -1 ? '' : url.slice(mark + 1)
}

/** What a request of this route costs. */
export const costsFor = (
  { minuteCost }: FastifyContextConfig,
  query: string,
  accept: string | undefined,
): Costs => (minuteCost ? [1, minuteCost(query, accept)] : one)

const costsOf = (request: FastifyRequest): Costs =>
  costsFor(request.routeOptions.config, queryOf(request), request.headers.accept)

/** Returns whether this principal is refused with 403. The quotas do not matter. */
export const isForbiddenTo = (
  { kind, isSuspended, scopes: held }: Principal,
  { demo, scope, scopesOf }: FastifyContextConfig,
  query: string,
): boolean => {
  if (isSuspended || (demo === false && kind === 'demo')) return true
  if (held === undefined) return false
  if (typeof scope === 'string' && !held.has(scope)) return true
  return scopesOf?.(query).some((each) => !held.has(each)) ?? false
}

const policyHeaders = new WeakMap<readonly Policy[], string>()

/** `RateLimit-Policy`, written once for each list of policies. */
export const policyHeader = (policies: readonly Policy[]): string => {
  let header = policyHeaders.get(policies)
  if (header === undefined) {
    header = formatPolicies(policies)
    policyHeaders.set(policies, header)
  }
  return header
}

/**
 * Counts every authenticated request of its scope (register it after the hook that authenticates), refuses those over a quota, and writes what is left on
 * every answer. What comes before 429 in the order of judgement (404 of a path, 405, 403) is counted and
 * answered as what it is. A 304 costs nothing of `minute`, which is known only when it is sent.
 */
export default fp(
  (app, _options, done) => {
    const { quotas } = app.limits
    app.decorateRequest('quotas', undefined)

    app.addHook('onRequest', (request, _reply, next) => {
      const { principal } = request
      const account = principal && quotas.find(principal, request)
      if (!account) return next()
      request.quotas = account
      const { config } = request.routeOptions
      if (config.refuses || isForbiddenTo(principal, config, queryOf(request))) {
        account.charge(costsOf(request))
        return next()
      }
      const proceed = (admission: Admission) => {
        if (admission.violated.length === 0) return next()
        next(refuseQuota(admission))
      }
      const admission = account.take(costsOf(request))
      if (!(admission instanceof Promise)) return proceed(admission)
      admission.then(proceed, next)
    })

    app.addHook('onSend', (request, reply, payload, next) => {
      const account = request.quotas
      if (account) {
        if (reply.statusCode === 304) account.charge(backFrom304)
        reply.header('ratelimit-policy', policyHeader(account.policies))
        reply.header('ratelimit', formatUse(account.use()))
      }
      next(null, payload)
    })
    done()
  },
  { name: 'limits', dependencies: ['auth', 'quotas'], fastify: '5.x' },
)
