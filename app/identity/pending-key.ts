import { sql } from 'kysely'
import { type AuditEvent, recordEvents } from '../audit/record.ts'
import { selectInstant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import { toUnavailable } from '../db/unreachable.ts'
import { toApiKeyError } from './credential-errors.ts'

type FirstLogin = Readonly<{ customerId: string; keyId: string } & Pick<AuditEvent, 'requestId' | 'client'>>

type Completion = { isValid: boolean; former: string | null; formerExpiresAt: string | null }

/**
 * Begins the overlap of a rotation at the first login of the new key. Only one of simultaneous logins does. Rejects with
 * `invalid_api_key` if the key was removed or revoked, or with `unavailable`. See
 * docs/decisions/0263-the-first-login-completes-a-rotation.md.
 */
export const completeRotation = async (
  db: Db,
  { customerId: customer, keyId, requestId, client }: FirstLogin,
): Promise<void> => {
  const isValid = await db
    .transaction()
    .execute(async (trx) => {
      const { rows } = await sql<Completion>`
        select is_valid as "isValid", former, ${selectInstant('former_expires_at')} as "formerExpiresAt"
        from complete_key_rotation(${customer}, ${keyId})`.execute(trx)
      const { isValid, former, formerExpiresAt } = rows[0] as Completion
      if (former !== null) {
        const details = { by: keyId, former_expires_at: formerExpiresAt }
        const act = {
          actor: 'key',
          action: 'keys.rotate',
          customer,
          keyId,
          subject: former,
          details,
        } as const
        await recordEvents(trx, [{ ...act, requestId, client }])
      }
      return isValid
    })
    .catch((cause: unknown) => {
      throw toUnavailable(cause)
    })
  if (!isValid) throw toApiKeyError()
}
