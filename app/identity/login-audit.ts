import { truncateAddress } from '../audit/client-address.ts'
import type { AuditEvent } from '../audit/record.ts'
import { ApiError } from '../errors.ts'
import type { LoginListener, LoginSource } from './login-events.ts'

type LoginAuditOptions = {
  /** Writes an entry at once. */
  record: (event: AuditEvent) => Promise<void>
  /** Counts a refusal beyond what is written one by one. */
  count: (reason: string, status: number) => void
  /** Milliseconds since 1970. */
  now: () => number
  warn: (error: unknown) => void
}

/**
 * Refused logins that become entries in a minute of a process. Further ones are counted. Strangers write at most
 * 144,000 entries a day, about 70 MB.
 */
const maxRefusalsPerMinute = 100
/** Those of one network, so that a flood from there leaves room for the failures of all others. */
const maxRefusalsOfNetworkPerMinute = 30
/** Those of a right key that is refused for its plan or its network. They do not count against the others. */
const maxRefusalsOfKeyPerMinute = 10

/** Returns a function that tells whether one more refusal of this minute may be written as an entry. */
const createBudgets = (now: () => number) => {
  let minute = 0
  let total = 0
  const used = new Map<string, number>()
  /** Whether `name` has used less than its part. At most 100 networks, and the keys that exist, are kept. */
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
 * Records logins in the audit trail: refused checks, and tokens. A refusal that cannot be recorded stays a refusal. A
 * token that cannot be recorded is not given: the listener rejects. The id of an unknown key is not kept, because it may
 * be anything that a client typed.
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
    // A refusal by the limits is only counted.
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
