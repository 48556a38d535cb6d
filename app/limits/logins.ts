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

/** A credential whose reads take turns. `verify` rejects with invalid_api_key. */
export type LoginAttempt = Pick<Credential, 'keyId'> & {
  isKnown: () => Promise<boolean>
  verify: () => Promise<KeyFacts>
}

/** The verification of credentials within limits. Rejects as `verify` does, and with quota_exceeded. */
export type Logins = {
  /** Whose the key is, which counts as a login of it. `ip`: the client's address. */
  logIn(attempt: LoginAttempt, ip: string): Promise<KeyFacts>
  /** The same for what is no login: only failures count, so that a right key may always be revoked. */
  identify(attempt: LoginAttempt, ip: string): Promise<KeyFacts>
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

  return {
    identify,
    async logIn(attempt, ip) {
      const facts = await identify(attempt, ip)
      await keys.take({ tag: facts.customerId, name: `login:${facts.keyId}` })
      return facts
    },
  }
}
