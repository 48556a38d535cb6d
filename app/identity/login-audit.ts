import type { AuditEvent } from '../audit/record.ts'
import { ApiError } from '../errors.ts'
import { truncateAddress } from '../http/client-address.ts'
import type { LoginListener, LoginSource } from './login-events.ts'

type LoginAuditOptions = {
  record: (event: AuditEvent) => Promise<void>
  count: (reason: string, status: number) => void
  now: () => number
  warn: (error: unknown) => void
}

/** Refused logins per minute and process that are recorded: at most 70 MB a day. Others are only counted. */
const maxRefusalsPerMinute = 100
const maxRefusalsOfNetworkPerMinute = 30
/** For correct keys that are refused for their plan or network. The limits above do not count these. */
const maxRefusalsOfKeyPerMinute = 10

const createBudgets = (now: () => number) => {
  let minute = 0
  const used = new Map<string, number>()
  const isWithin = (name: string, most: number): boolean => {
    const count = used.get(name) ?? 0
    used.set(name, count + 1)
    return count < most
  }
  return ({ rightKeyId, network }: { rightKeyId: string | undefined; network: string }): boolean => {
    const current = Math.floor(now() / 60_000)
    if (current !== minute) used.clear()
    minute = current
    if (rightKeyId !== undefined) return isWithin(`key ${rightKeyId}`, maxRefusalsOfKeyPerMinute)
    // Before the network is added, so that `used` stays small.
    if ((used.get('all') ?? 0) >= maxRefusalsPerMinute) return false
    return isWithin(`network ${network}`, maxRefusalsOfNetworkPerMinute) && isWithin('all', Infinity)
  }
}

/**
 * Records issued tokens, and refused clients of login, introspection and revocation, all as `login`. Rejects
 * if a token cannot be recorded, so that the client does not receive it. For a refusal, only calls `warn`.
 */
export const createLoginAudit = ({ record, count, now, warn }: LoginAuditOptions): LoginListener => {
  const isWithinBudget = createBudgets(now)

  const recordRefusal = async (error: ApiError, keyId: string | undefined, source: LoginSource) => {
    const { ip, requestId } = source
    const { code, status, extras } = error
    const client = truncateAddress(ip)
    const isRightKey = code === 'plan_required' || code === 'network_not_allowed'
    const refused = { rightKeyId: isRightKey ? keyId : undefined, network: client ?? '' }
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
