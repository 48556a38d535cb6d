import type { LimitsConfig } from '../../config/config.ts'
import type { AccountDeps } from '../../limits/account.ts'
import { toClientNetwork } from '../../limits/address.ts'
import { createKeyLimit, type KeyLimit } from '../../limits/logins.ts'

/** Revocations count per key and network, so that a thief cannot use up the owner's quota. */
export type KeyLimits = Record<'introspections' | 'revocations', KeyLimit>

type KeyLimitsOptions = AccountDeps & { limits: Pick<LimitsConfig, keyof KeyLimits> }

/** Introspections count per key, revocations per key and network. */
export const createKeyLimits = ({ limits, ...deps }: KeyLimitsOptions): KeyLimits => ({
  introspections: createKeyLimit(
    deps,
    'introspections',
    limits.introspections,
    (keyId) => `introspect:${keyId}`,
  ),
  revocations: createKeyLimit(
    deps,
    'revocations',
    limits.revocations,
    (keyId, ip) => `revoke:${keyId}:${toClientNetwork(ip)}`,
  ),
})
