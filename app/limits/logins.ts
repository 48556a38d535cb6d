import type { LimitsConfig } from '../config/config.ts'
import { ApiError } from '../errors.ts'
import type { Credential } from '../identity/credential.ts'
import type { KeyFacts } from '../identity/facts.ts'
import { refuseApiKey } from '../identity/principals.ts'
import type { AccountDeps } from './account.ts'
import { clientOf } from './address.ts'
import { createCount } from './limiter.ts'

type LoginsOptions = Omit<AccountDeps, 'onUnsettled'> & {
  limits: Pick<LimitsConfig, 'logins' | 'failedLogins'>
}

/** A credential whose reads wait for their turn. `verify` rejects with `invalid_api_key`. */
export type LoginAttempt = Pick<Credential, 'keyId'> & {
  isKnown: () => Promise<boolean>
  verify: () => Promise<KeyFacts>
}

/** Verifies credentials within limits. Rejects as `verify` does, and with `quota_exceeded`. */
export type Logins = {
  /** Counts a login. `ip`: the client's address. */
  logIn(attempt: LoginAttempt, ip: string): Promise<KeyFacts>
  /** The same without counting a login. Only failures count, so that a valid key can always be revoked. */
  identify(attempt: LoginAttempt, ip: string): Promise<KeyFacts>
  /** Throws `quota_exceeded` if this instance counts no login left for the key. */
  requireRoom(key: KeyFacts): void
}

/**
 * Creates the login limits. Logins count per key once the key is verified, so that no client can use up
 * another's quota. Failures count per address and key id together, or per address if there is no key id.
 *
 * A valid key is never refused because of failures, even from its own address. After an address and key have
 * used up their failures, the secret is compared with the facts in memory, and only a wrong secret is
 * refused. These facts are at most 500 ms old, so guessing costs the database at most two look-ups per second
 * and key.
 */
export const createLogins = ({ limits, ...deps }: LoginsOptions): Logins => {
  const keys = createCount(deps, 'logins', limits.logins)
  const failures = createCount(deps, 'failed_logins', limits.failedLogins)

  const identify: Logins['identify'] = async ({ keyId, isKnown, verify }, ip) => {
    const pair = { tag: `login:${clientOf(ip)}`, name: keyId ?? '' }
    if (failures.isUsedUp(pair) && !(await isKnown())) {
      await failures.take(pair)
      throw refuseApiKey()
    }
    return verify().catch(async (error: unknown) => {
      if (error instanceof ApiError && error.code === 'invalid_api_key') await failures.take(pair)
      throw error
    })
  }

  const toAccount = ({ customerId, keyId }: KeyFacts) => ({ tag: customerId, name: `login:${keyId}` })

  return {
    identify,
    requireRoom: (key) => keys.requireRoom(toAccount(key)),
    async logIn(attempt, ip) {
      const facts = await identify(attempt, ip)
      await keys.take(toAccount(facts))
      return facts
    },
  }
}
