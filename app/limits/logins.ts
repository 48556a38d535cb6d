import type { LimitsConfig } from '../config/config.ts'
import { ApiError } from '../errors.ts'
import { matchesSecret, parseApiKey } from '../identity/api-keys.ts'
import type { KeyFacts } from '../identity/facts.ts'
import { type Principals, refuseApiKey } from '../identity/principals.ts'
import type { Account, AccountDeps } from './account.ts'
import { clientOf } from './address.ts'
import { createLimiter } from './limiter.ts'
import type { Policy } from './policy.ts'
import { refuseQuota } from './refusal.ts'

export type LoginsOptions = Omit<AccountDeps, 'onUnsettled'> & {
  limits: Pick<LimitsConfig, 'logins' | 'failedLogins'>
}

export type KeyVerifier = Pick<Principals, 'findKey'> & {
  /** Asks the database; rejects with invalid_api_key. */
  verify: (apiKey: string) => Promise<KeyFacts>
}

/** The verification of API keys within limits. Rejects as `verify` does, and with quota_exceeded. */
export type Logins = {
  /** Whose the key is, which counts as a login of it. `ip`: the client's address. */
  logIn(check: KeyVerifier, apiKey: string, ip: string): Promise<KeyFacts>
  /** The same for what is no login: only failures count, so that a right key may always be revoked. */
  identify(check: KeyVerifier, apiKey: string, ip: string): Promise<KeyFacts>
}

const maxAccounts = 10_000

const perMinute = (name: string, quota: number): readonly Policy[] => [{ name, quota, windowSeconds: 60 }]

const take = async (account: Account): Promise<void> => {
  const admission = await account.take([1])
  if (admission.violated.length > 0) throw refuseQuota(admission)
}

/**
 * Logins are counted per key once the key is verified, so that nobody uses up another's. Failures are counted
 * per address and key id together; what is no key at all, per address.
 *
 * A right key is never refused for failures, not even for those of its own address. Once an address and key have used
 * their failures up, the secret is compared with the facts in memory, and only a wrong one is refused. These facts are
 * at most 500 ms old, so guessing costs the database at most two look-ups a second and key.
 */
export const createLogins = ({ limits, ...deps }: LoginsOptions): Logins => {
  const keys = createLimiter({ ...deps, maxAccounts })
  const failures = createLimiter({ ...deps, maxAccounts })
  const keyPolicies = perMinute('logins', limits.logins)
  const failurePolicies = perMinute('failed_logins', limits.failedLogins)

  const refuse = async (failed: Account): Promise<never> => {
    await take(failed)
    throw refuseApiKey()
  }

  const identify: Logins['identify'] = async ({ findKey, verify }, apiKey, ip) => {
    const parts = parseApiKey(apiKey)
    const pair = { tag: `login:${clientOf(ip)}`, name: parts?.keyId ?? '' }
    const failed = failures.account(pair, failurePolicies)
    if (!parts) return await refuse(failed)
    if (failed.use()[0]?.remaining === 0) {
      const known = await findKey(parts.keyId)
      if (!known || !matchesSecret(parts.secret, known.secretSha256)) return await refuse(failed)
    }
    return verify(apiKey).catch(async (error: unknown) => {
      if (error instanceof ApiError && error.code === 'invalid_api_key') await take(failed)
      throw error
    })
  }

  return {
    identify,
    async logIn(check, apiKey, ip) {
      const facts = await identify(check, apiKey, ip)
      await take(keys.account({ tag: facts.customerId, name: `login:${facts.keyId}` }, keyPolicies))
      return facts
    },
  }
}
