import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Db } from '../db/schema.ts'
import { isUnreachable } from '../db/unreachable.ts'
import { ApiError } from '../errors.ts'
import { matchesSecret, parseApiKey } from './api-keys.ts'
import type { CustomerFacts, Principal } from './principal.ts'

/** What the database says of an API key and its customer. */
export type KeyFacts = CustomerFacts &
  Readonly<{
    keyId: string
    secretSha256: Buffer
    /** undefined = every scope, those of later releases included. */
    scopes: ReadonlySet<string> | undefined
    /** Infinity = never. */
    expiresAtMs: number
    revoked: boolean
  }>

export type PrincipalsOptions = {
  db: Db
  /** Milliseconds since 1970. */
  now: () => number
  /** How long a fact may be used, counted from before its query was sent. */
  maxAgeMs?: number
  /** Keys, and customers, remembered at most: 10,000 at about 0.5 kB are 5 MB. */
  maxEntries?: number
}

/** The request that brought a key: its id and the client's address. */
export type RequestSource = Readonly<{ id: string; ip: string }>

/** Facts of the moment; undefined = there is no such key or customer. */
export type Principals = Readonly<{
  findKey(keyId: string): KeyFacts | undefined | Promise<KeyFacts | undefined>
  findCustomer(customerId: string): CustomerFacts | undefined | Promise<CustomerFacts | undefined>
  verifyApiKey(apiKey: string, source?: RequestSource): Promise<KeyFacts>
  markKeyUsed(keyId: string): Promise<void>
}>

const bearer = 'Bearer realm="certdata"'

/**
 * 401 `credentials_required`: no bearer token came, so the challenge carries no error (RFC 6750, section
 * 3.1).
 */
export const requireCredentials = (): ApiError =>
  new ApiError('credentials_required', { headers: { 'www-authenticate': bearer } })

/** 401 for a token that came and is not good. */
export const refuseToken = (code: 'invalid_token' | 'token_expired' | 'token_revoked'): ApiError =>
  new ApiError(code, { headers: { 'www-authenticate': `${bearer}, error="invalid_token"` } })

/** 403 `insufficient_scope`, thrown where the principal lacks the scope (RFC 6750, section 3.1). */
export const requireScope = (principal: Principal, scope: string): void => {
  if (principal.scopes === undefined || principal.scopes.has(scope)) return
  throw new ApiError('insufficient_scope', {
    detail: `This needs the scope ${scope}.`,
    headers: { 'www-authenticate': `${bearer}, error="insufficient_scope", scope="${scope}"` },
  })
}

const isUsable = (facts: KeyFacts | undefined, nowMs: number): facts is KeyFacts =>
  facts !== undefined && !facts.revoked && facts.expiresAtMs > nowMs

/**
 * What stands against a request with this key: 401 `token_revoked` when the key is gone, revoked or expired,
 * 403
 * `plan_required` when the plan has no API access or the customer is suspended; undefined when nothing does.
 */
export const authorize = (facts: KeyFacts | undefined, nowMs: number): ApiError | undefined => {
  if (!isUsable(facts, nowMs)) return refuseToken('token_revoked')
  if (facts.plan === 'basic' || facts.suspended) return new ApiError('plan_required')
  return undefined
}

const findRow = async <Row>(db: Db, query: RawBuilder<Row>): Promise<Row | undefined> => {
  try {
    return (await query.execute(db)).rows[0]
  } catch (cause) {
    if (!isUnreachable(cause)) throw cause
    const error = new ApiError('unavailable', { headers: { 'retry-after': '1' } })
    error.cause = cause
    throw error
  }
}

const customerColumns = sql`customer_id as "customerId", plan, suspended_at is not null as suspended,
  expiring_within as "expiringWithin"`

const loadCustomer = (db: Db, customerId: string): Promise<CustomerFacts | undefined> =>
  findRow(db, sql<CustomerFacts>`select ${customerColumns} from find_customer(${customerId})`)

const loadKey = async (db: Db, keyId: string): Promise<KeyFacts | undefined> => {
  // Any revocation counts, without a look at its time: the clock here may lag behind the database's.
  const row = await findRow(
    db,
    sql<Omit<KeyFacts, 'scopes'> & { scopes: string[] | null }>`
      select ${customerColumns}, key_id as "keyId", secret_sha256 as "secretSha256", scopes,
        coalesce(extract(epoch from expires_at) * 1000, 'Infinity')::float8 as "expiresAtMs",
        revoked_at is not null as revoked
      from find_api_key(${keyId})`,
  )
  return row && { ...row, scopes: row.scopes ? new Set(row.scopes) : undefined }
}

type Asked = { askedAtMs: number }
type Fact<T> = Asked & { value: T | undefined }
type Flight<T> = Asked & { answer: Promise<T | undefined> }

/**
 * Remembers what `load` says, "nothing" too. A fresh fact is answered at once and not as a promise; callers
 * at the same time share one query, unless it was sent too long ago for the later one. Failures are not kept.
 */
const createFacts = <T>(
  load: (id: string) => Promise<T | undefined>,
  { now, maxAgeMs = 500, maxEntries = 10_000 }: PrincipalsOptions,
) => {
  const facts = new LRUCache<string, Fact<T>>({ max: maxEntries })
  const flights = new Map<string, Flight<T>>()

  // The only place that says what is fresh: a feed of changes would take the place of the age here.
  const isFresh = ({ askedAtMs }: Asked): boolean => {
    const ageMs = now() - askedAtMs
    return ageMs >= 0 && ageMs < maxAgeMs
  }

  const ask = async (id: string, askedAtMs: number): Promise<T | undefined> => {
    const value = await load(id)
    if ((facts.peek(id)?.askedAtMs ?? -1) <= askedAtMs) facts.set(id, { askedAtMs, value })
    return value
  }

  return (id: string): T | undefined | Promise<T | undefined> => {
    const fact = facts.get(id)
    if (fact && isFresh(fact)) return fact.value
    const running = flights.get(id)
    if (running && isFresh(running)) return running.answer
    const askedAtMs = now()
    const flight: Flight<T> = {
      askedAtMs,
      answer: ask(id, askedAtMs).finally(() => {
        if (flights.get(id) === flight) flights.delete(id)
      }),
    }
    flights.set(id, flight)
    return flight.answer
  }
}

// Compared where there is no such key, so that an unknown key id takes as long as a wrong secret.
const noSecret = Buffer.alloc(32)

const refuseApiKey = () =>
  new ApiError('invalid_api_key', { headers: { 'www-authenticate': 'Basic realm="certdata"' } })

/**
 * Who may use the service, as the database says it now, asked with the serving role.
 * `findKey` and `findCustomer` answer facts at most `maxAgeMs` (500) old, so that a revocation, another plan
 * or setting works within a second; one that is fresh is answered without a promise.
 * `verifyApiKey` always asks the database. It throws `invalid_api_key`, the same for a key that is mistyped,
 * unknown, wrong, revoked or expired, and `plan_required` where the key is right but the plan is not.
 * `markKeyUsed` notes the day (UTC).
 * All throw `unavailable` while the database cannot be reached, and its error otherwise.
 */
export const createPrincipals = (options: PrincipalsOptions): Principals => {
  const { db, now } = options
  return {
    findKey: createFacts((keyId) => loadKey(db, keyId), options),
    findCustomer: createFacts((customerId) => loadCustomer(db, customerId), options),

    async verifyApiKey(apiKey) {
      const parts = parseApiKey(apiKey)
      if (!parts) throw refuseApiKey()
      const facts = await loadKey(db, parts.keyId)
      const matches = matchesSecret(parts.secret, facts?.secretSha256 ?? noSecret)
      const nowMs = now()
      if (!matches || !isUsable(facts, nowMs)) throw refuseApiKey()
      const denied = authorize(facts, nowMs)
      if (denied) throw denied
      return facts
    },

    async markKeyUsed(keyId) {
      await findRow(db, sql`select mark_api_key_used(${keyId})`)
    },
  }
}
