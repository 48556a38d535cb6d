import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Db } from '../db/schema.ts'
import { isUnreachable } from '../db/unreachable.ts'
import { ApiError } from '../errors.ts'
import type { CustomerFacts } from './principal.ts'

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
    /** Whether any token of it was revoked that has not expired: only then each is asked for. */
    hasRevokedTokens: boolean
  }>

export type FactsOptions = {
  db: Db
  /** Milliseconds since 1970. */
  now: () => number
  /** How long a fact may be used, counted from before its query was sent. */
  maxAgeMs?: number
  /** Facts of one sort remembered at most: 10,000 at about 0.5 kB are 5 MB. */
  maxEntries?: number
}

/**
 * The first row of a statement that is a serving connection's; undefined where there is none.
 * Throws `unavailable` while the database cannot be reached, and its error otherwise.
 */
export const findRow = async <Row>(db: Db, query: RawBuilder<Row>): Promise<Row | undefined> => {
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

/** What `createFacts` remembers of a customer. */
export const loadCustomer = (db: Db, customerId: string): Promise<CustomerFacts | undefined> =>
  findRow(db, sql<CustomerFacts>`select ${customerColumns} from find_customer(${customerId})`)

/** A key and its customer, as the database says it now; undefined where there is no such key. */
export const loadKey = async (db: Db, keyId: string): Promise<KeyFacts | undefined> => {
  // Any revocation counts, without a look at its time: the clock here may lag behind the database's.
  const row = await findRow(
    db,
    sql<Omit<KeyFacts, 'scopes'> & { scopes: string[] | null }>`
      select ${customerColumns}, key_id as "keyId", secret_sha256 as "secretSha256", scopes,
        coalesce(extract(epoch from expires_at) * 1000, 'Infinity')::float8 as "expiresAtMs",
        revoked_at is not null as revoked,
        has_revoked_tokens(customer_id, key_id) as "hasRevokedTokens"
      from find_api_key(${keyId})`,
  )
  return row && { ...row, scopes: row.scopes ? new Set(row.scopes) : undefined }
}

/** What names a token in the database. */
export type TokenId = Readonly<{ customerId: string; keyId: string; jti: string }>

/** Whether this very token was revoked. */
export const loadRevocation = async (db: Db, { customerId, keyId, jti }: TokenId): Promise<boolean> => {
  const row = await findRow(
    db,
    sql<{ revoked: boolean }>`select is_token_revoked(${customerId}, ${keyId}, ${jti}) as revoked`,
  )
  return row?.revoked === true
}

type Asked = { askedAtMs: number }
type Fact<T> = Asked & { value: T | undefined }
type Flight<T> = Asked & { answer: Promise<T | undefined> }

/**
 * Remembers what `load` says, "nothing" too. A fresh fact is answered at once and not as a promise; callers
 * at the same time share one query, unless it was sent too long ago for the later one. Failures are not kept.
 */
export const createFacts = <T>(
  load: (id: string) => Promise<T | undefined>,
  { now, maxAgeMs = 500, maxEntries = 10_000 }: FactsOptions,
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
