import { LRUCache } from 'lru-cache'
import type { LimitsConfig, PlanLimits } from '../config/config.ts'
import type { KeyFacts } from '../identity/facts.ts'
import type { KeyChecks, KeyCount } from '../identity/oauth.ts'
import type { Principal } from '../identity/principal.ts'
import { type Account, type AccountDeps, createAccount } from './account.ts'
import { toClientNetwork } from './address.ts'
import { refuseQuota } from './meters.ts'
import type { AccountName, Policy } from './store.ts'

type CountingDeps = Omit<AccountDeps, 'onUnsettled'>

/** `maxAccounts`: about 2 kB each. Beyond it, the least recently used account is dropped. */
type LimiterOptions = CountingDeps & { maxAccounts?: number }

/** Limits the exchanges of a quiet account. */
const settleAfterMs = 50

type Known = { account: Account; policies: readonly Policy[] }

/** Accounts that strangers can multiply need their own limiter, so that they evict no others. */
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
    /** Starts empty if `policies` is another list than before. */
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

/** Creates a limit of `quota` units in 60 s. */
export const createCount = (deps: LimiterOptions, name: string, quota: number) => {
  const limiter = createLimiter(deps)
  const policies = [{ name, quota, windowSeconds: 60 }]
  return {
    async take(account: AccountName): Promise<void> {
      const admission = await limiter.account(account, policies).take([1])
      if (admission.violated.length > 0) throw refuseQuota(admission)
    },
    requireRoom(account: AccountName): void {
      const [use] = limiter.account(account, policies).use()
      if (use?.remaining === 0) throw refuseQuota({ violated: [name], retryAfterSeconds: use.resetSeconds })
    },
    isUsedUp: (account: AccountName): boolean => limiter.account(account, policies).use()[0]?.remaining === 0,
  }
}

type KeyChecksOptions = CountingDeps & { limits: Pick<LimitsConfig, keyof KeyChecks> }

/** Creates limits on introspections and revocations per minute. */
export const createKeyChecks = ({ limits, ...deps }: KeyChecksOptions): KeyChecks => {
  const create = (name: keyof KeyChecks, format: (key: KeyFacts, ip: string) => string): KeyCount => {
    const count = createCount(deps, name, limits[name])
    const toAccount = (key: KeyFacts, ip: string) => ({ tag: key.customerId, name: format(key, ip) })
    return {
      take: (key, ip) => count.take(toAccount(key, ip)),
      requireRoom: (key, ip) => count.requireRoom(toAccount(key, ip)),
    }
  }
  return {
    introspections: create('introspections', ({ keyId }) => `introspect:${keyId}`),
    revocations: create('revocations', ({ keyId }, ip) => `revoke:${keyId}:${toClientNetwork(ip)}`),
  }
}

type QuotasOptions = CountingDeps & { limits: LimitsConfig }

/** `burst` and `minute`, in the order of the headers. */
export const planPolicies = ({ burst, minute }: PlanLimits): readonly Policy[] => [
  { name: 'burst', quota: burst, windowSeconds: 1 },
  { name: 'minute', quota: minute, windowSeconds: 60 },
]
/** Creates the quotas of all customers. A customer's keys share one account. */
export const createQuotas = ({ limits, ...deps }: QuotasOptions) => {
  const policies = {
    basic: undefined,
    premium: planPolicies(limits.premium),
    enterprise: planPolicies(limits.enterprise),
  }
  const demoPolicies = planPolicies(limits.demo)
  const customers = createLimiter(deps)
  const addresses = createLimiter(deps)
  return {
    /**
     * The account of the customer, or of the client's address for a demo token. `undefined` for a plan without API
     * access. `clientAddress` may be a getter: it is read only if needed.
     */
    find(
      { kind, customerId, plan }: Principal,
      client: { readonly clientAddress: string },
    ): Account | undefined {
      if (kind === 'demo') {
        return addresses.account(
          { tag: customerId, name: toClientNetwork(client.clientAddress) },
          demoPolicies,
        )
      }
      const own = policies[plan]
      return own && customers.account({ tag: customerId, name: '' }, own)
    },
  }
}

export type Quotas = ReturnType<typeof createQuotas>
