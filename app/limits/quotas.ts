import type { LimitsConfig } from '../config/config.ts'
import type { Principal } from '../identity/principal.ts'
import type { Account, AccountDeps } from './account.ts'
import { clientOf } from './address.ts'
import { createLimiter } from './limiter.ts'
import { planPolicies } from './policy.ts'

type QuotasOptions = Omit<AccountDeps, 'onUnsettled'> & { limits: LimitsConfig }

/** Which account a request is counted on. */
export type Quotas = {
  /**
   * The customer's account under its plan; a demo token's is its client address's. Undefined for a plan
   * without API access. `clientAddress` is read where it is needed only.
   */
  find(principal: Principal, client: { readonly clientAddress: string }): Account | undefined
}

/** The accounts behind tokens, one a customer, shared by all its keys. */
export const createQuotas = ({ limits, ...deps }: QuotasOptions): Quotas => {
  const policies = {
    basic: undefined,
    premium: planPolicies(limits.premium),
    enterprise: planPolicies(limits.enterprise),
  }
  const demoPolicies = planPolicies(limits.demo)
  const customers = createLimiter(deps)
  const addresses = createLimiter(deps)
  return {
    find({ kind, customerId, plan }, client) {
      if (kind === 'demo') {
        return addresses.account({ tag: customerId, name: clientOf(client.clientAddress) }, demoPolicies)
      }
      const own = policies[plan]
      return own && customers.account({ tag: customerId, name: '' }, own)
    },
  }
}
