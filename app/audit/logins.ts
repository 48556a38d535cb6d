import { parseApiKey } from '../auth/api-keys.ts'
import type { Principals } from '../auth/principals.ts'
import { ApiError } from '../errors.ts'
import { truncateAddress } from './client-address.ts'
import type { AuditEvent } from './record.ts'

type Options = {
  /** Writes an entry at once. */
  record: (event: AuditEvent) => Promise<void>
  /** Counts a refusal beyond what is written one by one. */
  count: (code: string, status: number) => void
  /** Milliseconds since 1970. */
  now: () => number
  warn: (error: unknown) => void
}

/** Refused logins written one by one in a minute; a flood beyond is counted, or the table would be its victim. */
const maxRefusalsPerMinute = 600

const createBudget = (now: () => number) => {
  let minute = 0
  let used = 0
  return (): boolean => {
    const current = Math.floor(now() / 60_000)
    if (current !== minute) {
      minute = current
      used = 0
    }
    used += 1
    return used <= maxRefusalsPerMinute
  }
}

/**
 * The same principals, whose `verifyApiKey` writes every login down, whatever route it came by. A login that
 * cannot be written is not given: it throws what the database throws. A refusal stays one in any case. An
 * unknown key's id is not kept: it may be anything that somebody typed.
 */
export const auditLogins = (principals: Principals, { record, count, now, warn }: Options): Principals => {
  const isWithinBudget = createBudget(now)

  const recordRefusal = async (error: ApiError, apiKey: string, event: Partial<AuditEvent>) => {
    if (!isWithinBudget()) return count(`login: ${error.code}`, error.status)
    const keyId = parseApiKey(apiKey)?.keyId
    const details = { reason: error.code }
    const refusal = { actor: 'anonymous', action: 'login', outcome: 'refused', keyId, details } as const
    await record({ ...refusal, ...event }).catch(warn)
  }

  return {
    ...principals,
    async verifyApiKey(apiKey, source) {
      const event = { requestId: source?.id, client: source && truncateAddress(source.ip) }
      const facts = await principals.verifyApiKey(apiKey, source).catch(async (error: unknown) => {
        if (error instanceof ApiError && error.status < 500) await recordRefusal(error, apiKey, event)
        throw error
      })
      const { customerId: customer, keyId } = facts
      await record({ actor: 'key', action: 'login', customer, keyId, ...event })
      return facts
    },
  }
}
