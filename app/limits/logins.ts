import type { LimitsConfig } from '../config/config.ts'
import { ApiError } from '../errors.ts'
import type { Credential } from '../identity/credential.ts'
import type { KeyFacts } from '../identity/facts.ts'
import type { Turn } from '../overload/queue.ts'
import type { AccountDeps } from './account.ts'
import type { Failures } from './failures.ts'
import { createCount } from './limiter.ts'
import type { PolicyName } from './store.ts'

/** A quota per key, or per key and network. Both methods refuse with `quota_exceeded`. */
export type KeyLimit = {
  take(key: KeyFacts, address: string): Promise<void>
  /** Takes no unit. Uses the count that this instance has cached. */
  requireRoom(key: KeyFacts, address: string): void
}

/** Creates the limit of `quota` a minute. `format` returns the name under which a key is counted. */
export const createKeyLimit = (
  deps: AccountDeps,
  name: PolicyName,
  quota: number,
  format: (keyId: string, ip: string) => string,
): KeyLimit => {
  const count = createCount(deps, name, quota)
  const toAccount = ({ customerId, keyId }: KeyFacts, ip: string) => ({
    tag: customerId,
    name: format(keyId, ip),
  })
  return {
    take: (key, ip) => count.take(toAccount(key, ip)),
    requireRoom: (key, ip) => count.requireRoom(toAccount(key, ip)),
  }
}

type LoginsOptions = AccountDeps & {
  limits: Pick<LimitsConfig, 'logins'>
  failures: Pick<Failures, 'countAndDelay'>
}

/** Verifies credentials within limits. Rejects like `credential.verify`, or with `quota_exceeded`. */
export type Logins = {
  logIn(credential: Credential, turn: Turn, ip: string): Promise<KeyFacts>
  /** Counts only failures, so that a valid key can always be revoked. */
  identify(credential: Credential, turn: Turn, ip: string): Promise<KeyFacts>
  requireRoom: KeyLimit['requireRoom']
}

/**
 * Counts logins per verified key, and failures (see `createFailures`). A correct credential is never refused for the
 * failures of others.
 */
export const createLogins = ({ limits, failures, ...deps }: LoginsOptions): Logins => {
  const keys = createKeyLimit(deps, 'logins', limits.logins, (keyId) => `login:${keyId}`)

  const identify: Logins['identify'] = (credential, turn, ip) =>
    credential.verify(turn).catch(async (error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 'invalid_api_key') throw error
      throw await failures.countAndDelay(error, ip, credential.isKnown() ? credential.keyId : undefined)
    })

  return {
    identify,
    requireRoom: keys.requireRoom,
    async logIn(credential, turn, ip) {
      const facts = await identify(credential, turn, ip)
      await keys.take(facts, ip)
      return facts
    },
  }
}
