import { findAddressKeyId, matchesSecret } from '../../identity/api-keys.ts'
import type { Credential } from '../../identity/credential.ts'
import { toApiKeyError } from '../../identity/credential-errors.ts'
import type { KeyFacts } from '../../identity/facts.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Principals } from '../../identity/principals.ts'
import { authorize, checkNetwork } from '../../identity/rights.ts'
import { calendarKey } from './feature.ts'

type Deps = Readonly<{
  principals: Pick<Principals, 'hasKey' | 'findClaimedKey' | 'confirmRefusal'>
  now: () => number
}>

/**
 * A key in an address. `verify` rejects with one and the same error if the key is wrong, revoked or expired, if its
 * network is not allowed, and if its customer has no access. Only the audit trail has the reason.
 */
export const presentCalendarKey = ({ principals, now }: Deps, text: string, ip: string): Credential => {
  const keyId = findAddressKeyId(calendarKey.name, text)
  return {
    keyId,
    isKnown: () => keyId !== undefined && principals.hasKey(keyId),
    async verify(turn) {
      if (keyId === undefined) throw toApiKeyError()
      const found = await principals.findClaimedKey(keyId, turn)
      if (!found) throw toApiKeyError()
      const isRight = matchesSecret(text, found.secretSha256) && found.scopes?.has(calendarKey.scope) === true
      const denied = isRight ? (authorize(found, now()) ?? checkNetwork(found, ip)) : undefined
      if (isRight && !denied) return found
      await principals.confirmRefusal()
      throw toApiKeyError(denied ? { auditReason: denied.code } : {})
    },
  }
}

/** Returns the reader of certificates, and of nothing else. */
export const toReader = ({ customerId, keyId, summary: key, ...facts }: KeyFacts): Principal => ({
  kind: 'live',
  customerId,
  keyId,
  key,
  scopes: new Set(['certificates:read']),
  expiringWithin: facts.expiringWithin,
  plan: facts.plan,
  expiresAtMs: facts.expiresAtMs,
})
