import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { splitTarget } from '../app/http/pairs.ts'
import type { Principal } from '../app/identity/principal.ts'
import type { Account } from '../app/limits/account.ts'
import { type Costs, formatPolicies, formatUse, refuseQuota } from '../app/limits/meters.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The account that pays. `undefined` without a valid token. */
    quotas: Account | undefined
    /** Units of `minute` above one, for an export. */
    surcharge: number
    returnSurcharge(): void
  }
}

/** Units of `burst` and `minute`. */
export const one: Costs = [1, 1]
export const backFrom304: Costs = [0, -1]

const getQuery = ({ raw }: FastifyRequest): string => splitTarget(raw.url).rawQuery

const getCosts = (request: FastifyRequest): Costs => {
  const { minuteCost } = request.routeOptions.config
  return minuteCost ? [1, minuteCost(getQuery(request), request.headers.accept)] : one
}

/** True if the answer is 403, which precedes 429. */
const isForbiddenTo = (
  { kind, isSuspended, scopes: held }: Principal,
  { demo, scope, listScopes }: FastifyContextConfig,
  query: string,
): boolean => {
  if (isSuspended || (demo === false && kind === 'demo')) return true
  if (held === undefined) return false
  if (typeof scope === 'string' && !held.has(scope)) return true
  return listScopes?.(query).some((each) => !held.has(each)) ?? false
}

/**
 * Charges every authenticated request of its scope, and reports the remaining quota on every answer. Register it after
 * the authentication. Refusals that precede 429 (404 for a path, 405, 403) are charged, too.
 */
export default fp(
  (app, _options, done) => {
    const { quotas } = app.limits
    app.decorateRequest('quotas', undefined)
    app.decorateRequest('surcharge', 0)
    app.decorateRequest('returnSurcharge', function returnSurcharge(this: FastifyRequest) {
      if (this.surcharge > 0) this.quotas?.charge([0, -this.surcharge])
      this.surcharge = 0
    })

    app.addHook('onRequest', async (request) => {
      const { principal } = request
      const account = principal && quotas.find(principal, request)
      if (!account) return
      request.quotas = account
      const { config } = request.routeOptions
      if (config.refuses || isForbiddenTo(principal, config, getQuery(request))) {
        account.charge(one)
        return
      }
      const costs = getCosts(request)
      const admission = await account.take(costs)
      if (admission.violated.length > 0) throw refuseQuota(admission)
      request.surcharge = (costs[1] ?? 1) - 1
    })

    app.addHook('onSend', (request, reply, payload, next) => {
      const account = request.quotas
      if (account) {
        if (reply.statusCode === 304) account.charge(backFrom304)
        if (reply.statusCode >= 400) request.returnSurcharge()
        reply.header('ratelimit-policy', formatPolicies(account.policies))
        reply.header('ratelimit', formatUse(account.use()))
      }
      next(null, payload)
    })
    done()
  },
  { name: 'limits', dependencies: ['auth', 'quotas'], fastify: '5.x' },
)
