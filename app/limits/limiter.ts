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

/** `maxAccounts`: of about 2 kB each. The least recently used account is dropped, with its counts. */
type LimiterOptions = CountingDeps & { maxAccounts?: number }

/** At most 20 exchanges a second for an account within its lease. */
const settleAfterMs = 50

type Known = { account: Account; policies: readonly Policy[] }

/** Use a separate limiter for accounts that strangers can create, so that they evict no other accounts. */
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
    /** Another `policies` array than before, for example of another plan, starts a new account. */
    account(name: AccountName, policies: readonly Policy[]): Account {
      // No tag contains NUL. The tag alone needs no concatenation and no new hash.
      const key = name.name === '' ? name.tag : `${name.tag}\0${name.name}`
      const found = known.get(key)
      if (found?.policies === policies) return found.account
      const account = createAccount(name, policies, { ...deps, onUnsettled })
      known.set(key, { account, policies })
      return account
    },
  }
}

/** Creates a limit of `quota` units in 60 s. `take` and `requireRoom` refuse with 429. */
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

/** Introspections count per key, revocations per key and network. */
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

/** In the order of the response headers. */
export const planPolicies = ({ burst, minute }: PlanLimits): readonly Policy[] => [
  { name: 'burst', quota: burst, windowSeconds: 1 },
  { name: 'minute', quota: minute, windowSeconds: 60 },
]
/** All keys of a customer share one account. */
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
     * Returns the account of the customer, or of the client's network for the demo token. `undefined` for a plan
     * without API access. Reads `clientAddress`, a getter that parses headers, only for the demo token.
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
