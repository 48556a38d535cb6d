import { LRUCache } from 'lru-cache'
import type { LimitsConfig } from '../config/config.ts'
import type { Principal } from '../identity/principal.ts'
import { type Account, type AccountDeps, createAccount } from './account.ts'
import { clientOf } from './address.ts'
import { refuseQuota } from './meters.ts'
import { type AccountName, type Policy, planPolicies } from './policy.ts'

type LimiterOptions = Omit<AccountDeps, 'onUnsettled'> & {
  /** Remembered at most, about 2 kB each in use; the least recently used is forgotten, by this instance only. */
  maxAccounts?: number
}

/** What is too little to be settled at once is settled so much later: bounds the exchanges of a quiet account. */
const settleAfterMs = 50

type Known = { account: Account; policies: readonly Policy[] }

/**
 * Keeps accounts and settles what they owe. Kinds that strangers can multiply (addresses) have a limiter of
 * their own, so that they push nobody else out.
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
    /** The account of this name; it begins anew when its policies are others than before. */
    account(name: AccountName, policies: readonly Policy[]): Account {
      // No tag contains NUL. Without a name the tag itself, whose hash is known.
      const key = name.name === '' ? name.tag : `${name.tag}\0${name.name}`
      const found = known.get(key)
      if (found?.policies === policies) return found.account
      const account = createAccount(name, policies, { ...deps, onUnsettled })
      known.set(key, { account, policies })
      return account
    },
  }
}

/** Counts what has a single policy, one unit at a time: `quota` of it in 60 s. */
export const createCount = (deps: LimiterOptions, name: string, quota: number) => {
  const limiter = createLimiter(deps)
  const policies = [{ name, quota, windowSeconds: 60 }]
  return {
    /** Rejects with quota_exceeded where nothing is left. */
    async take(account: AccountName): Promise<void> {
      const admission = await limiter.account(account, policies).take([1])
      if (admission.violated.length > 0) throw refuseQuota(admission)
    },
    isUsedUp: (account: AccountName): boolean => limiter.account(account, policies).use()[0]?.remaining === 0,
  }
}

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
