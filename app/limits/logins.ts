import type { LimitsConfig } from '../config/config.ts'
import { ApiError } from '../errors.ts'
import type { Credential } from '../identity/credential.ts'
import type { KeyFacts } from '../identity/facts.ts'
import { refuseApiKey } from '../identity/principals.ts'
import type { Turn } from '../overload/queue.ts'
import type { AccountDeps } from './account.ts'
import { toClientNetwork } from './address.ts'
import { createCount } from './limiter.ts'

type LoginsOptions = Omit<AccountDeps, 'onUnsettled'> & {
  limits: Pick<LimitsConfig, 'logins' | 'failedLogins'>
}

/** Verifies credentials within limits. Rejects like `credential.verify`, or with `quota_exceeded`. */
export type Logins = {
  logIn(credential: Credential, turn: Turn, ip: string): Promise<KeyFacts>
  /** Counts only failures, so that a valid key can always be revoked. */
  identify(credential: Credential, turn: Turn, ip: string): Promise<KeyFacts>
  requireRoom(key: KeyFacts): void
}

/**
 * Logins count per verified key, failures per pair of network and key id. Failures of other clients never block a valid
 * key: after too many, its secret is compared with the facts in memory, without a query.
 */
export const createLogins = ({ limits, ...deps }: LoginsOptions): Logins => {
  const keys = createCount(deps, 'logins', limits.logins)
  const failures = createCount(deps, 'failed_logins', limits.failedLogins)

  const identify: Logins['identify'] = async (credential, turn, ip) => {
    const pair = { tag: `login:${toClientNetwork(ip)}`, name: credential.keyId ?? '' }
    if (failures.isUsedUp(pair) && !(await credential.isKnown(turn))) {
      await failures.take(pair)
      throw refuseApiKey()
    }
    return credential.verify(turn).catch(async (error: unknown) => {
      if (error instanceof ApiError && error.code === 'invalid_api_key') await failures.take(pair)
      throw error
    })
  }

  const toAccount = ({ customerId, keyId }: KeyFacts) => ({ tag: customerId, name: `login:${keyId}` })

  return {
    identify,
    requireRoom: (key) => keys.requireRoom(toAccount(key)),
    async logIn(credential, turn, ip) {
      const facts = await identify(credential, turn, ip)
      await keys.take(toAccount(facts))
      return facts
    },
  }
}
