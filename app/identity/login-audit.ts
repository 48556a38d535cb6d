import { truncateAddress } from '../audit/client-address.ts'
import type { AuditEvent } from '../audit/record.ts'
import { ApiError } from '../errors.ts'
import type { LoginListener, LoginSource } from './login-events.ts'

type LoginAuditOptions = {
  record: (event: AuditEvent) => Promise<void>
  /** Counts a refusal that exceeds the budget for entries. */
  count: (reason: string, status: number) => void
  /** Milliseconds since 1970. */
  now: () => number
  warn: (error: unknown) => void
}

/**
 * Refused logins per minute and process that become entries. Further refusals are only counted.
 * Unauthenticated clients can write at most 144,000 entries a day, about 70 MB.
 */
const maxRefusalsPerMinute = 100
/** Share of one network, so that a flood from it leaves room for failures from other networks. */
const maxRefusalsOfNetworkPerMinute = 30
/** Per key, for correct keys refused for their plan or network. Separate from the limits above. */
const maxRefusalsOfKeyPerMinute = 10

/** Returns a function that checks whether this minute's budget allows one more entry, and uses it. */
const createBudgets = (now: () => number) => {
  let minute = 0
  let total = 0
  const used = new Map<string, number>()
  /** Uses one entry of `name`'s share if it has any left. Holds at most 100 networks, plus existing keys. */
  const isWithin = (name: string, most: number): boolean => {
    const count = used.get(name) ?? 0
    if (count < most) used.set(name, count + 1)
    return count < most
  }
  return ({ rightKeyId, network }: { rightKeyId: string | undefined; network: string }): boolean => {
    const current = Math.floor(now() / 60_000)
    if (current !== minute) {
      minute = current
      total = 0
      used.clear()
    }
    if (rightKeyId !== undefined) return isWithin(`key ${rightKeyId}`, maxRefusalsOfKeyPerMinute)
    if (total >= maxRefusalsPerMinute) return false
    const isOwn = isWithin(`network ${network}`, maxRefusalsOfNetworkPerMinute)
    if (isOwn) total += 1
    return isOwn
  }
}

/**
 * Records refused logins and issued tokens in the audit trail. A failure to record a refusal is only logged.
 * A failure to record a token rejects, so the token is not issued. The id of an unknown key is not stored,
 * because it may be anything that a client typed.
 */
export const createLoginAudit = ({ record, count, now, warn }: LoginAuditOptions): LoginListener => {
  const isWithinBudget = createBudgets(now)

  const recordRefusal = async (
    error: ApiError,
    keyId: string | undefined,
    { ip, requestId }: LoginSource,
  ) => {
    const { code, status, extras } = error
    const client = truncateAddress(ip)
    const isRightKey = code === 'plan_required' || code === 'network_not_allowed'
    const refused = { rightKeyId: isRightKey ? keyId : undefined, network: client ?? '' }
    // Refusals by rate limits are only counted.
    if (status === 429 || !isWithinBudget(refused)) return count(`login: ${code}`, status)
    const refusal = { actor: 'anonymous', action: 'login', outcome: 'refused', keyId } as const
    const details = { reason: extras.auditReason ?? code }
    await record({ ...refusal, client, requestId, details }).catch(warn)
  }

  return async (event) => {
    if (event.type === 'signed') {
      const { customerId: customer, keyId } = event.key
      const { ip, requestId } = event.source
      const client = truncateAddress(ip)
      await record({ actor: 'key', action: 'login', customer, keyId, client, requestId })
    } else if (event.type === 'refused' && event.error instanceof ApiError && event.error.status < 500) {
      await recordRefusal(event.error, event.keyId, event.source)
    }
  }
}
