import type { LimitsConfig } from '../config/config.ts'
import type { KeyChecks } from '../identity/oauth.ts'
import type { AccountDeps } from './account.ts'
import { clientOf } from './address.ts'
import { createCount } from './limiter.ts'

type KeyChecksOptions = Omit<AccountDeps, 'onUnsettled'> & {
  limits: Pick<LimitsConfig, 'introspections' | 'revocations'>
}

/** Creates limits on introspections and revocations per minute, shared by all instances. */
export const createKeyChecks = ({ limits, ...deps }: KeyChecksOptions): KeyChecks => {
  const introspections = createCount(deps, 'introspections', limits.introspections)
  const revocations = createCount(deps, 'revocations', limits.revocations)
  return {
    countIntrospection: ({ customerId, keyId }) =>
      introspections.take({ tag: customerId, name: `introspect:${keyId}` }),
    countRevocation: ({ customerId, keyId }, address) =>
      revocations.take({ tag: customerId, name: `revoke:${keyId}:${clientOf(address)}` }),
  }
}
