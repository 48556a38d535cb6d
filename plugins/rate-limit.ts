import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { QueryString } from '../app/http/pairs.ts'
import type { Principal } from '../app/identity/principal.ts'
import { hasScope } from '../app/identity/scopes.ts'
import type { Account } from '../app/limits/account.ts'
import { formatPolicies, formatUse, type PlanPolicy } from '../app/limits/limiter.ts'
import { type Costs, toQuotaError } from '../app/limits/meters.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The account that pays. `undefined` without a valid token or a quota. */
    account: Account<PlanPolicy> | undefined
    /** When the request was counted, for refunds. */
    countedMs: number
    /** Units of `minute` above one, for an export. Refunded if the export is not made, or for a 304. */
    surcharge: number
  }
}

export const plainCosts: Costs<PlanPolicy> = { burst: 1, minute: 1 }
export const refundFor304: Costs<PlanPolicy> = { burst: 0, minute: 1 }

export const refundSurcharge = (request: FastifyRequest): void => {
  if (request.surcharge > 0) {
    request.account?.refund({ burst: 0, minute: request.surcharge }, request.countedMs)
  }
  request.surcharge = 0
}

/** True if 403 precedes 429. It follows for `Endpoint.admit`. */
const isForbiddenTo = (
  principal: Principal,
  { demo, scope, listScopes }: FastifyContextConfig,
  query: QueryString,
): boolean => {
  if (principal.isSuspended || (demo === false && principal.kind === 'demo')) return true
  if (typeof scope === 'string' && !hasScope(principal, scope)) return true
  return listScopes?.(query).some((each) => !hasScope(principal, each)) ?? false
}

/**
 * Charges authenticated requests of its scope, if their plan has a quota, and reports the remaining units.
 * Register it after the authentication. Refusals before 429 (404 for a path, 405, 403) are charged, 429 not.
 */
export default fp(
  async (app) => {
    const { quotas } = app.limiters
    app.decorateRequest('account', undefined)
    app.decorateRequest('countedMs', 0)
    app.decorateRequest('surcharge', 0)

    app.addHook('onRequest', async (request) => {
      const { principal, headers, routeOptions } = request
      const account = principal && quotas.find(principal, request)
      if (!account) return
      request.account = account
      request.countedMs = account.now()
      const { refuses, minuteCost } = routeOptions.config
      const rawQuery = request.query as QueryString
      if (refuses || isForbiddenTo(principal, routeOptions.config, rawQuery)) {
        account.charge(plainCosts)
        return
      }
      const minute = minuteCost?.(rawQuery, headers.accept) ?? 1
      const admission = await account.take({ burst: 1, minute })
      if (admission.violated.length > 0) throw toQuotaError(admission)
      request.surcharge = minute - 1
    })

    app.addHook('onSend', (request, reply, payload, next) => {
      const { account } = request
      if (account) {
        const isUnchanged = reply.statusCode === 304
        if (isUnchanged) account.refund(refundFor304, request.countedMs)
        if (isUnchanged || reply.statusCode >= 400) refundSurcharge(request)
        reply.header('ratelimit-policy', formatPolicies(account.policies))
        reply.header('ratelimit', formatUse(account.use()))
      }
      next(null, payload)
    })
  },
  { name: 'rate-limit', dependencies: ['auth', 'limiters'], fastify: '5.x' },
)
