import { sql } from 'kysely'
import { type AuditEvent, recordEvents } from '../../audit/record.ts'
import { selectInstant } from '../../db/instant.ts'
import type { Db } from '../../db/schema.ts'
import { toUnavailable } from '../../db/unreachable.ts'
import { ApiError } from '../../errors.ts'
import { truncateAddress } from '../../http/client-address.ts'
import { createApiKey } from '../../identity/api-keys.ts'
import { toApiKeyError } from '../../identity/credential-errors.ts'
import { type KeyFacts, loadKey } from '../../identity/facts.ts'
import type { LoginSource } from '../../identity/login-events.ts'
import type { KeySummary } from '../../identity/principal.ts'
import { hasScope, rotateScope } from '../../identity/scopes.ts'
import { toQuotaError } from '../../limits/meters.ts'

/** How long the previous key works after the first login with the new one. As `certdata keys rotate` without --overlap. */
const overlapSeconds = 7 * 86_400
/** How long the new key waits for its first login. A lost one ends then. */
const patienceSeconds = 86_400
/** Between two completed rotations. */
const pauseSeconds = 3_600

type Outcome = 'made' | 'unusable' | 'replaced' | 'pending' | 'too_soon'
type Row = {
  outcome: Outcome
  waitSeconds: number
  name: string | null
  expires_at: string | null
  expires_at_after_login: string | null
}

const refusals: Record<Exclude<Outcome, 'made'>, (row: Row) => ApiError> = {
  unusable: () => toApiKeyError(),
  replaced: ({ expires_at: end }) =>
    new ApiError('rotation_refused', {
      detail: `This key was rotated already and ends at ${end}: rotate the key that has replaced it.`,
    }),
  pending: () =>
    new ApiError('rotation_refused', {
      detail: 'This key was not used yet: it replaces another key at its first login. Log in with it first.',
    }),
  too_soon: ({ waitSeconds }) =>
    toQuotaError({ violated: ['key_rotations'], retryAfterSeconds: waitSeconds }),
}

type RotatedKey = Readonly<{
  api_key: string
  key: KeySummary
  expires_at_after_login: string | null
  replaces: string
  overlap_seconds: number
}>

const describeAct = ({ customerId: customer, keyId }: KeyFacts, { ip, requestId }: LoginSource) =>
  ({
    actor: 'key',
    action: 'keys.rotate',
    customer,
    keyId,
    subject: keyId,
    client: truncateAddress(ip),
    requestId,
  }) as const satisfies AuditEvent

/** Records and throws 403 `insufficient_scope` unless the key has the scope by name. */
const requireRotateScope = async (db: Db, key: KeyFacts, source: LoginSource): Promise<void> => {
  if (hasScope(key, rotateScope)) return
  const details = { reason: 'insufficient_scope' }
  await recordEvents(db, [{ ...describeAct(key, source), outcome: 'refused', details }])
  throw new ApiError('insufficient_scope', {
    detail: `This needs an API key with the scope ${rotateScope}. Ask the certification house for one, or for a link to a new key.`,
  })
}

/**
 * Makes the successor of a verified key: with its scopes, its networks and as long a life. It is pending until its first
 * login, and ends after a day without one. An earlier pending successor is removed, so that a lost answer does no harm. Rejects with `insufficient_scope`,
 * `rotation_refused`, `quota_exceeded`, `invalid_api_key` or `unavailable`. `db` is the serving role's. See
 * docs/decisions/0263-the-first-login-completes-a-rotation.md.
 */
export const rotateKey = async (db: Db, key: KeyFacts, source: LoginSource): Promise<RotatedKey> => {
  const { apiKey, keyId, secretSha256 } = createApiKey()
  try {
    await requireRotateScope(db, key, source)
    return await db.transaction().execute(async (trx) => {
      const { rows } = await sql<Row>`
        select outcome, wait_seconds as "waitSeconds", name, ${selectInstant('expires_at')} as expires_at,
          ${selectInstant('expires_at_after_login')} as expires_at_after_login
        from rotate_api_key(${key.customerId}, ${key.keyId}, ${keyId}, ${secretSha256},
          make_interval(secs => ${overlapSeconds}), make_interval(secs => ${pauseSeconds}),
          make_interval(secs => ${patienceSeconds}))`.execute(trx)
      const row = rows[0] as Row
      if (row.outcome === 'replaced') {
        const old = await loadKey(trx, key.keyId)
        throw old
          ? refusals.replaced({ ...row, expires_at: old.value.summary.expires_at })
          : refusals.unusable(row)
      }
      if (row.outcome !== 'made') throw refusals[row.outcome](row)
      const { name, expires_at, expires_at_after_login } = row
      const details = { by: keyId, pending: true, expires_at, expires_at_after_login }
      await recordEvents(trx, [{ ...describeAct(key, source), details }])
      return {
        api_key: apiKey,
        key: { id: keyId, name, expires_at },
        expires_at_after_login,
        replaces: key.keyId,
        overlap_seconds: overlapSeconds,
      }
    })
  } catch (cause) {
    throw toUnavailable(cause)
  }
}
