import { LRUCache } from 'lru-cache'
import type { LimitsConfig, PlanLimits } from '../config/config.ts'
import type { Principal } from '../identity/principal.ts'
import { type Account, type AccountDeps, createAccount } from './account.ts'
import { toClientNetwork } from './address.ts'
import { type Costs, toQuotaError, type Use } from './meters.ts'
import type { AccountName, Policy, PolicyName } from './store.ts'

/** `maxAccounts`: of about 2 kB each. The least recently used is dropped, with this instance's counts. */
type LimiterOptions = AccountDeps & { maxAccounts?: number }

/** At most 20 exchanges a second. An account that has used most of its lease does not wait for this. */
const settleAfterMs = 50

/** Use a separate limiter for accounts that strangers can create, so that they evict no other accounts. */
export const createLimiter = <Name extends PolicyName>({ maxAccounts = 10_000, ...deps }: LimiterOptions) => {
  // With `max`, each of these caches would allocate its arrays now.
  const accounts = new LRUCache<string, Account<Name>>({ maxSize: maxAccounts, sizeCalculation: () => 1 })
  const unsettled = new Set<() => void>()

  const settleAll = (): void => {
    const all = [...unsettled]
    unsettled.clear()
    for (const settle of all) settle()
  }
  const onUnsettled = (settle: () => void): void => {
    if (unsettled.size === 0) deps.after(settleAfterMs, settleAll)
    unsettled.add(settle)
  }

  return {
    /** Another `policies` array than before, for example of another plan, starts a new account. */
    account(name: AccountName, policies: readonly Policy<Name>[]): Account<Name> {
      // No tag contains NUL. The tag alone needs no concatenation and no new hash.
      const key = name.name === '' ? name.tag : `${name.tag}\0${name.name}`
      const known = accounts.get(key)
      if (known?.policies === policies) return known
      const account = createAccount(name, policies, deps, onUnsettled)
      accounts.set(key, account)
      return account
    },
  }
}

/** Creates a limit. `take` counts a unit or rejects with 429. `requireRoom` throws 429 if no unit is left. */
export const createCount = <Name extends PolicyName>(
  deps: LimiterOptions,
  name: Name,
  quota: number,
  windowSeconds = 60,
) => {
  const limiter = createLimiter<Name>(deps)
  const policies = [{ name, quota, windowSeconds }]
  const one = { [name]: 1 } as Costs<Name>
  return {
    async take(account: AccountName): Promise<void> {
      const admission = await limiter.account(account, policies).take(one)
      if (admission.violated.length > 0) throw toQuotaError(admission)
    },
    requireRoom(account: AccountName): void {
      const [use] = limiter.account(account, policies).use()
      if (use?.remaining === 0) throw toQuotaError({ violated: [name], retryAfterSeconds: use.resetSeconds })
    },
  }
}

export type PlanPolicy = 'burst' | 'minute'

/** In the order of the response headers. */
export const planPolicies = ({ burst, minute }: PlanLimits): readonly Policy<PlanPolicy>[] => [
  { name: 'burst', quota: burst, windowSeconds: 1 },
  { name: 'minute', quota: minute, windowSeconds: 60 },
]

/** All keys of a customer share one account. With the demo token, each network of clients has its own. */
export const createQuotas = ({ limits, ...deps }: AccountDeps & { limits: LimitsConfig }) => {
  const policies = {
    basic: undefined,
    premium: planPolicies(limits.premium),
    enterprise: planPolicies(limits.enterprise),
  }
  const demoPolicies = planPolicies(limits.demo)
  const customers = createLimiter<PlanPolicy>(deps)
  const addresses = createLimiter<PlanPolicy>(deps)
  return {
    /** `undefined` for the plan basic. Reads `clientAddress`, which parses headers, only for the demo. */
    find(
      { kind, customerId, plan }: Principal,
      client: { readonly clientAddress: string },
    ): Account<PlanPolicy> | undefined {
      if (kind === 'demo') {
        const name = toClientNetwork(client.clientAddress)
        return addresses.account({ tag: customerId, name }, demoPolicies)
      }
      const own = policies[plan]
      return own && customers.account({ tag: customerId, name: '' }, own)
    },
  }
}

export type Quotas = ReturnType<typeof createQuotas>

const policyHeaders = new WeakMap<readonly Policy[], string>()

/** Formats `RateLimit-Policy`: `"burst";q=100;w=1, "minute";q=600;w=60`. */
export const formatPolicies = (policies: readonly Policy[]): string => {
  let header = policyHeaders.get(policies)
  if (header === undefined) {
    const members = policies.map(
      ({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`,
    )
    header = members.join(', ')
    policyHeaders.set(policies, header)
  }
  return header
}

/** Formats `RateLimit` of draft-ietf-httpapi-ratelimit-headers-10: `"burst";r=97;t=1, "minute";r=412;t=23`. */
export const formatUse = (use: readonly Use[]): string => {
  // On every response, so without map and join.
  let text = ''
  for (const { policy, remaining, resetSeconds } of use) {
    text += `${text === '' ? '"' : ', "'}${policy.name}";r=${remaining};t=${resetSeconds}`
  }
  return text
}
