import { LRUCache } from 'lru-cache'
import type { LimitsConfig } from '../config/config.ts'
import type { Principal } from '../identity/principal.ts'
import { type Account, type AccountDeps, createAccount } from './account.ts'
import { clientOf } from './address.ts'
import { refuseQuota } from './meters.ts'
import { type AccountName, type Policy, planPolicies } from './policy.ts'

type LimiterOptions = Omit<AccountDeps, 'onUnsettled'> & {
  /** About 2 kB each in use. Beyond this number, this instance drops the least recently used account. */
  maxAccounts?: number
}

/** Delay before small amounts are settled. Limits the exchanges of a quiet account. */
const settleAfterMs = 50

type Known = { account: Account; policies: readonly Policy[] }

/**
 * Creates a cache of accounts that also settles them. Kinds of accounts that strangers can multiply, such as
 * addresses, have a separate limiter, so that they evict no other accounts.
 */
export const createLimiter = ({ maxAccounts = 10_000, ...deps }: LimiterOptions) => {
  const known = new LRUCache<string, Known>({ max: maxAccounts })
  const unsettled = new Set<Account>()

  const settleAll = (): void => {
    const accounts = [...unsettled]
    unsettled.clear()
    for (const account of accounts) account.settle()
  }
  const onUnsettled = (account: Account): void => {
    if (unsettled.size === 0) deps.after(settleAfterMs, settleAll)
    unsettled.add(account)
  }

  return {
    /** The account with this name. Restarts empty if `policies` is another list than before. */
    account(name: AccountName, policies: readonly Policy[]): Account {
      // No tag contains NUL. Without a name, the key is the tag itself, whose hash is already computed.
      const key = name.name === '' ? name.tag : `${name.tag}\0${name.name}`
      const found = known.get(key)
      if (found?.policies === policies) return found.account
      const account = createAccount(name, policies, { ...deps, onUnsettled })
      known.set(key, { account, policies })
      return account
    },
  }
}

/** Creates a limit with a single policy of `quota` units in 60 s. */
export const createCount = (deps: LimiterOptions, name: string, quota: number) => {
  const limiter = createLimiter(deps)
  const policies = [{ name, quota, windowSeconds: 60 }]
  return {
    /** Rejects with `quota_exceeded` if no unit is left. */
    async take(account: AccountName): Promise<void> {
      const admission = await limiter.account(account, policies).take([1])
      if (admission.violated.length > 0) throw refuseQuota(admission)
    },
    /** Throws `quota_exceeded` if this instance counts no unit left. Takes no unit. */
    requireRoom(account: AccountName): void {
      const [use] = limiter.account(account, policies).use()
      if (use?.remaining === 0) throw refuseQuota({ violated: [name], retryAfterSeconds: use.resetSeconds })
    },
    isUsedUp: (account: AccountName): boolean => limiter.account(account, policies).use()[0]?.remaining === 0,
  }
}

type QuotasOptions = Omit<AccountDeps, 'onUnsettled'> & { limits: LimitsConfig }

export type Quotas = {
  /**
   * The account of the customer under its plan, or of the client's address for a demo token. `undefined` for
   * a plan without API access. `clientAddress` may be a getter: it is read only if needed.
   */
  find(principal: Principal, client: { readonly clientAddress: string }): Account | undefined
}

/** Creates the quotas of all customers. A customer's keys share one account. */
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
