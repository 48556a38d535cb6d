import { truncateAddress } from '../audit/client-address.ts'
import type { AuditEvent } from '../audit/record.ts'
import { ApiError } from '../errors.ts'
import type { Credential } from './credential.ts'
import type { KeyFacts } from './facts.ts'

/** Whose a credential is; rejects with what stands against it. */
export type KeyCheck = (credential: Credential, ip: string, requestId?: string) => Promise<KeyFacts>

export type LoginAuditOptions = {
  /** Writes an entry at once. */
  record: (event: AuditEvent) => Promise<void>
  /** Counts a refusal beyond what is written one by one. */
  count: (reason: string, status: number) => void
  /** Milliseconds since 1970. */
  now: () => number
  warn: (error: unknown) => void
}

type LoginAudit = {
  /** The same check, whose refusals are written. A refusal stays one where it cannot be. */
  watchCheck(check: KeyCheck): KeyCheck
  /** The same signing, each of which is a login. One that cannot be written is not given: it rejects. */
  watchSigning<Rest extends unknown[], Token>(
    sign: (key: KeyFacts, ...rest: Rest) => Promise<Token>,
  ): (key: KeyFacts, ...rest: Rest) => Promise<Token>
}

/**
 * Refused logins that become entries in a minute of a process. Further ones are counted. Strangers write at most
 * 144,000 entries a day, about 70 MB.
 */
const maxRefusalsPerMinute = 100
/** Those of one network, so that a flood from there leaves room for the failures of all others. */
const maxRefusalsOfNetworkPerMinute = 10
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

type Source = Pick<AuditEvent, 'client' | 'requestId'>

/**
 * Records logins in the audit trail. Every check of a credential and every signing of a token passes here, so no
 * route to a login can be forgotten. Each check returns a new object of facts, which links the
 * check to the token that is signed for it. The id of an unknown key is not kept, because it may be anything that somebody typed.
 */
export const createLoginAudit = ({ record, count, now, warn }: LoginAuditOptions): LoginAudit => {
  const isWithinBudget = createBudgets(now)
  const sources = new WeakMap<KeyFacts, Source>()

  const recordRefusal = async (
    { code, status, extras: { auditReason: reason = code } }: ApiError,
    { keyId }: Credential,
    source: Source,
  ) => {
    const isRightKey = code === 'plan_required' || code === 'network_not_allowed'
    const refused = { rightKeyId: isRightKey ? keyId : undefined, network: source.client ?? '' }
    // What the limits have refused already is only counted.
    if (status === 429 || !isWithinBudget(refused)) {
      return count(`login: ${code}`, status)
    }
    const refusal = { actor: 'anonymous', action: 'login', outcome: 'refused', keyId } as const
    await record({ ...refusal, ...source, details: { reason } }).catch(warn)
  }

  return {
    watchCheck: (check) => async (credential, ip, requestId) => {
      const source = { client: truncateAddress(ip), requestId }
      const facts = await check(credential, ip, requestId).catch(async (error: unknown) => {
        if (error instanceof ApiError && error.status < 500) await recordRefusal(error, credential, source)
        throw error
      })
      sources.set(facts, source)
      return facts
    },
    watchSigning:
      (sign) =>
      async (key, ...rest) => {
        const token = await sign(key, ...rest)
        const { customerId: customer, keyId } = key
        await record({ actor: 'key', action: 'login', customer, keyId, ...sources.get(key) })
        return token
      },
  }
}
