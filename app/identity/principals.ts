import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { type AuditEvent, appendAudit } from '../audit/record.ts'
import { describeUnreachable } from '../db/unreachable.ts'
import { truncateAddress } from '../http/client-address.ts'
import type { Turn } from '../overload/queue.ts'
import { matchesSecret, parseAnyKey, parseApiKey } from './api-keys.ts'
import { toApiKeyError, toEndedKeyError } from './credential-errors.ts'
import {
  createFacts,
  type FactsOptions,
  findRow,
  type KeyFacts,
  loadCustomer,
  loadKey,
  loadRevocation,
  type TokenId,
} from './facts.ts'
import { createGrantedScopes } from './granted-scopes.ts'
import type { KeyIds } from './key-ids.ts'
import { completeRotation } from './pending-key.ts'
import type { Principal } from './principal.ts'
import { isUsable } from './rights.ts'
import { expandScopes, hasEveryScope } from './scopes.ts'

type PrincipalsOptions = FactsOptions & {
  keyIds: Pick<KeyIds, 'has' | 'isUnknown' | 'confirm'>
  warn?: (reason: string, message: string) => void
}

/** `ip`: not truncated. */
type Caller = Readonly<{ ip: string; requestId?: string }>
type Actor = Readonly<{ keyId: string } & Pick<AuditEvent, 'requestId' | 'client'>>

const revocationKey = ({ customerId, keyId, jti }: TokenId) => `${customerId} ${keyId} ${jti}`
const parseRevocationKey = (text: string): TokenId => {
  const [customerId = '', keyId = '', ...rest] = text.split(' ')
  return { customerId, keyId, jti: rest.join(' ') }
}

type ParsedKey = ReturnType<typeof parseAnyKey>

/** Keys with which clients log in at the same time, 0.5 kB each. */
const maxClaimedKeys = 2_000

/**
 * `findAnyKey`, `identifyApiKey` and `identifyAnyKey` query the database in a turn, but only for a correct secret. Four
 * more are cached: synchronous if surely fresh, at most a second old, older if the database is unreachable. Without facts,
 * all reject `unavailable`.
 */
export const createPrincipals = (options: PrincipalsOptions) => {
  const { db, now, keyIds } = options
  const keys = createFacts((keyId) => loadKey(db, keyId), options)
  const customers = createFacts((customerId) => loadCustomer(db, customerId), options)
  const listGrantedScopes = createGrantedScopes(options)
  const revocations = createFacts((text) => loadRevocation(db, parseRevocationKey(text)), options)

  // A separate cache, so that strangers evict no key whose tokens are used.
  const claimed = createFacts((keyId) => loadKey(db, keyId), { ...options, maxEntries: maxClaimedKeys })
  const findClaimedKey = async (keyId: string, turn: Turn): Promise<KeyFacts | undefined> =>
    (await keyIds.isUnknown(keyId)) ? undefined : claimed.find(keyId, turn)

  const findParsed = async (parts: ParsedKey, turn: Turn): Promise<KeyFacts | undefined> => {
    if (!parts) return undefined
    const { keyId, secret } = parts
    const known = await findClaimedKey(keyId, turn)
    if (!known) return undefined
    const facts = matchesSecret(secret, known.secretSha256)
      ? (await turn(() => loadKey(db, keyId)))?.value
      : undefined
    if (facts && matchesSecret(secret, facts.secretSha256)) return facts
    await keyIds.confirm()
    return undefined
  }

  const identifyParsed = async (parts: ParsedKey, turn: Turn): Promise<KeyFacts> => {
    const facts = await findParsed(parts, turn)
    if (!facts) throw toApiKeyError()
    if (!isUsable(facts, now())) throw toEndedKeyError(facts)
    return facts
  }

  /** By key: the day on which this process recorded a use. Calendar programs use a key with each request. */
  const usedOn = new LRUCache<string, string>({ max: maxClaimedKeys })
  const markUsed = async (keyId: string): Promise<void> => {
    if (usedOn.get(keyId) === new Date(now()).toISOString().slice(0, 10)) return
    const statement = sql<{ day: string }>`
      select (now() at time zone 'UTC')::date as day, mark_api_key_used(${keyId})`
    const row = await findRow(db, statement)
    if (row) usedOn.set(keyId, row.day)
  }

  return {
    /** Whether a key exists or existed, as far as this process knows without a query. */
    hasKey: keyIds.has,
    findKey: keys.find,
    /** For an id that a stranger claims. Costs no query if the id does not exist. */
    findClaimedKey,
    /** Refusals of existing keys wait for it, so that their time does not reveal which ids exist. */
    confirmRefusal: keyIds.confirm,
    findCustomer: customers.find,
    isTokenRevoked(token: TokenId): boolean | Promise<boolean> {
      const known = revocations.find(revocationKey(token))
      return known instanceof Promise ? known.then((revoked) => revoked === true) : known === true
    },
    /** Names the scopes of a key or a token one by one. Rejects with unavailable. */
    async listScopes({ customerId, scopes }: Pick<Principal, 'customerId' | 'scopes'>): Promise<string[]> {
      return expandScopes(scopes, hasEveryScope(scopes) ? await listGrantedScopes(customerId) : [])
    },
    /** Also for a key of an address. It may be revoked or expired. */
    findAnyKey: (text: string, turn: Turn) => findParsed(parseAnyKey(text), turn),
    identifyApiKey: (text: string, turn: Turn) => identifyParsed(parseApiKey(text), turn),
    /** Also for a key of an address, which gives no access by itself. */
    identifyAnyKey: (text: string, turn: Turn) => identifyParsed(parseAnyKey(text), turn),

    /**
     * Records a login, and returns the facts from then on: the first login with a pending key completes its rotation and
     * begins its full life. Rejects with `invalid_api_key` if the key was removed or has ended in the meantime.
     */
    async useKey(key: KeyFacts, { ip, requestId }: Caller): Promise<KeyFacts> {
      const { customerId, keyId, isPending } = key
      const client = truncateAddress(ip)
      if (isPending) await completeRotation(db, { customerId, keyId, client, requestId })
      const used = isPending ? (await loadKey(db, keyId))?.value : key
      if (!used) throw toApiKeyError()
      if (!isUsable(used, now())) throw toEndedKeyError(used)
      await markUsed(keyId).catch((error: unknown) =>
        options.warn?.(describeUnreachable(error), 'the use of an API key was not recorded'),
      )
      return used
    },

    async revokeKey({ customerId: customer, keyId: subject, revoked }: KeyFacts, by: Actor): Promise<void> {
      // The audit entry is first, because it locks the customer before the key, as an erasure does.
      const audit = appendAudit([{ actor: 'key', action: 'keys.revoke', customer, subject, ...by }])
      if (!revoked) await findRow(db, sql`select ${audit}, revoke_api_key(${customer}, ${subject})`)
      await Promise.all([keys.refresh(subject), claimed.refresh(subject)])
    },

    async revokeToken(token: TokenId & { expiresAtMs: number }, by: Actor): Promise<void> {
      const { customerId: customer, keyId: subject, jti, expiresAtMs } = token
      const act = { actor: 'key', action: 'tokens.revoke', customer, subject, details: { jti } } as const
      const audit = appendAudit([{ ...act, ...by }])
      const until = sql`to_timestamp(${expiresAtMs / 1000}::float8)`
      await findRow(db, sql`select ${audit}, revoke_token(${customer}, ${subject}, ${jti}, ${until})`)
      // The facts of a key contain whether it has revoked tokens.
      await Promise.all([keys.refresh(subject), revocations.refresh(revocationKey(token))])
    },
  }
}

export type Principals = Readonly<ReturnType<typeof createPrincipals>>
