import type { LimitsConfig } from '../config/config.ts'
import type { KeyFacts } from '../identity/facts.ts'
import type { KeyChecks, KeyCount } from '../identity/oauth.ts'
import type { AccountDeps } from './account.ts'
import { clientOf } from './address.ts'
import { createCount } from './limiter.ts'

type KeyChecksOptions = Omit<AccountDeps, 'onUnsettled'> & {
  limits: Pick<LimitsConfig, 'introspections' | 'revocations'>
}

const createKeyCount = (
  count: ReturnType<typeof createCount>,
  format: (key: KeyFacts, address: string) => string,
): KeyCount => {
  const toAccount = (key: KeyFacts, address: string) => ({ tag: key.customerId, name: format(key, address) })
  return {
    take: (key, address) => count.take(toAccount(key, address)),
    requireRoom: (key, address) => count.requireRoom(toAccount(key, address)),
  }
}

/** Creates limits on introspections and revocations per minute, shared by all instances. */
export const createKeyChecks = ({ limits, ...deps }: KeyChecksOptions): KeyChecks => {
  const introspections = createCount(deps, 'introspections', limits.introspections)
  const revocations = createCount(deps, 'revocations', limits.revocations)
  return {
    introspections: createKeyCount(introspections, ({ keyId }) => `introspect:${keyId}`),
    revocations: createKeyCount(revocations, ({ keyId }, ip) => `revoke:${keyId}:${clientOf(ip)}`),
  }
}
