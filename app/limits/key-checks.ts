import type { LimitsConfig } from '../config/config.ts'
import type { KeyChecks } from '../identity/oauth.ts'
import type { AccountDeps } from './account.ts'
import { clientOf } from './address.ts'
import { createLimiter } from './limiter.ts'
import type { AccountName } from './policy.ts'
import { refuseQuota } from './refusal.ts'

export type KeyChecksOptions = Omit<AccountDeps, 'onUnsettled'> & {
  limits: Pick<LimitsConfig, 'introspections' | 'revocations'>
}

const maxAccounts = 10_000

/** Counts introspections and revocations in any minute, over all instances. */
export const createKeyChecks = ({ limits, ...deps }: KeyChecksOptions): KeyChecks => {
  const createCount = (name: string, quota: number) => {
    const limiter = createLimiter({ ...deps, maxAccounts })
    const policies = [{ name, quota, windowSeconds: 60 }]
    return async (account: AccountName): Promise<void> => {
      const admission = await limiter.account(account, policies).take([1])
      if (admission.violated.length > 0) throw refuseQuota(admission)
    }
  }
  const introspect = createCount('introspections', limits.introspections)
  const revoke = createCount('revocations', limits.revocations)
  return {
    countIntrospection: ({ customerId, keyId }) =>
      introspect({ tag: customerId, name: `introspect:${keyId}` }),
    countRevocation: ({ customerId, keyId }, address) =>
      revoke({ tag: customerId, name: `revoke:${keyId}:${clientOf(address)}` }),
  }
}
