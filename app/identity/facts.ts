import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { isServerOf } from '../cache/epoch.ts'
import type { Freshness, Judge } from '../cache/freshness.ts'
import { parseSnapshot, type Snapshot } from '../cache/snapshot.ts'
import type { Stamped } from '../cache/stamped.ts'
import type { Db } from '../db/schema.ts'
import { toUnavailable } from '../db/unreachable.ts'
import type { Turn } from '../overload/queue.ts'
import { type ClientProver, readClientProver } from './client-keys.ts'
import { createNetworkCheck } from './networks.ts'
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
    /** Whether the key may be used from a client's address; undefined: from every one. */
    isAllowedFrom: ((address: string) => boolean) | undefined
    /** How a client signs that has no secret; undefined: the key is a secret. */
    client: ClientProver | undefined
    /**
     * True if an unexpired token of the key was revoked. Only then is each token looked up. A list of revocations that
     * is read by position would miss late commits.
     */
    hasRevokedTokens: boolean
  }>

export type FactsOptions = {
  db: Db
  judge: Pick<Judge, 'check' | 'epoch' | 'readOr'>
  /** Milliseconds since 1970: whether a key has expired. */
  now: () => number
  /** Milliseconds from any start, never going back: how old an answer is. */
  monotonicNow: () => number
  /** Facts of one sort remembered at most: 10,000 at about 0.5 kB are 5 MB. */
  maxEntries?: number
  /** Names in the change log whose changes change these facts; absent: those of rights. */
  dependsOn?: readonly string[]
}

/**
 * Runs a statement on a serving connection and returns its first row, or undefined. Throws `unavailable` while the
 * database cannot be reached, and the driver's error otherwise.
 */
export const findRow = async <Row>(db: Db, query: RawBuilder<Row>): Promise<Row | undefined> => {
  try {
    return (await query.execute(db)).rows[0]
  } catch (cause) {
    throw toUnavailable(cause)
  }
}

const customerColumns = sql`customer_id as "customerId", plan, suspended_at is not null as suspended,
  expiring_within as "expiringWithin"`
/** What a statement says of the moment it shows. */
export const stampColumns = sql`pg_current_snapshot()::text as "snapshot",
  extract(epoch from pg_postmaster_start_time())::text as "server"`

export type StampRow = { snapshot: string; server: string }

/** What the database said, and when; absent where it said that there is nothing. */
export type Fact<T> = Readonly<{ customerId: string; value: T; snapshot: Snapshot; server: string }>

/** Plans, keys and revocations of a customer change together in the log. */
const rights = ['auth']

/** A row's stamp, with what it says. */
export const toFact = <T>(customerId: string, { snapshot, server }: StampRow, value: T): Fact<T> => {
  return { customerId, value, snapshot: parseSnapshot(snapshot), server }
}

/** What `createFacts` remembers of a customer. */
export const loadCustomer = async (db: Db, customerId: string): Promise<Fact<CustomerFacts> | undefined> => {
  const row = await findRow(
    db,
    sql<
      CustomerFacts & StampRow
    >`select ${customerColumns}, ${stampColumns} from find_customer(${customerId})`,
  )
  if (!row) return undefined
  const { snapshot, server, ...facts } = row
  return toFact(customerId, { snapshot, server }, facts)
}

type KeyRow = Omit<KeyFacts, 'scopes' | 'isAllowedFrom' | 'client'> & {
  scopes: string[] | null
  networks: string[] | null
  clientJwks: string | null
  jwksUri: string | null
}

/** A key and its customer, as the database says it now; undefined where there is no such key. */
export const loadKey = async (db: Db, keyId: string): Promise<Fact<KeyFacts> | undefined> => {
  // Any revocation counts, without a look at its time: the clock here may lag behind the database's.
  const row = await findRow(
    db,
    sql<KeyRow & StampRow>`
      select ${customerColumns}, ${stampColumns}, key_id as "keyId", secret_sha256 as "secretSha256", scopes, networks,
        client_jwks as "clientJwks", jwks_uri as "jwksUri",
        coalesce(extract(epoch from expires_at) * 1000, 'Infinity')::float8 as "expiresAtMs",
        revoked_at is not null as revoked,
        has_revoked_tokens(customer_id, key_id) as "hasRevokedTokens"
      from find_api_key(${keyId})`,
  )
  if (!row) return undefined
  const { snapshot, server, scopes, networks, clientJwks, jwksUri, ...facts } = row
  const value = {
    ...facts,
    scopes: scopes ? new Set(scopes) : undefined,
    isAllowedFrom: networks ? createNetworkCheck(networks) : undefined,
    client: readClientProver(clientJwks, jwksUri),
  }
  return toFact(facts.customerId, { snapshot, server }, value)
}

/** What names a token in the database. */
export type TokenId = Readonly<{ customerId: string; keyId: string; jti: string }>

/** Whether this very token was revoked. */
export const loadRevocation = async (db: Db, token: TokenId): Promise<Fact<boolean> | undefined> => {
  const { customerId, keyId, jti } = token
  const row = await findRow(
    db,
    sql<{ revoked: boolean } & StampRow>`
      select is_token_revoked(${customerId}, ${keyId}, ${jti}) as revoked, ${stampColumns}`,
  )
  return row && toFact(customerId, row, row.revoked)
}

/**
 * How long a cached "does not exist" may be used, and how long a running query may be joined. Counted from before the
 * query was sent.
 */
const maxAgeMs = 500
/** Unknown ids remembered at most. They have a cache of their own, so that requests with random ids evict no fact. */
const maxMissing = 1_000

type Asked = { askedAtMs: number }
type Known<T> = Asked & { value: T; stamp: Stamped }
type Flight<T> = Asked & { answer: Promise<T | undefined> }

/**
 * Caches the facts that `load` returns, and for a short time "does not exist". Callers at the same time share one query,
 * unless it was sent too long ago. Failures are not cached.
 */
export const createFacts = <T>(
  load: (id: string) => Promise<Fact<T> | undefined>,
  { judge, monotonicNow, maxEntries = 10_000, dependsOn = rights }: FactsOptions,
) => {
  const known = new LRUCache<string, Known<T>>({ max: maxEntries })
  const missing = new LRUCache<string, Asked>({ max: maxMissing })
  const flights = new Map<string, Flight<T>>()

  const isYoung = ({ askedAtMs }: Asked): boolean => monotonicNow() - askedAtMs < maxAgeMs

  const keep = (id: string, askedAtMs: number, epoch: string, found: Fact<T> | undefined): void => {
    const last = known.peek(id) ?? missing.peek(id)
    if (last && last.askedAtMs > askedAtMs) return
    if (!found) {
      known.delete(id)
      missing.set(id, { askedAtMs })
    } else if (isServerOf(epoch, found.server)) {
      const { customerId, value, snapshot } = found
      missing.delete(id)
      known.set(id, { askedAtMs, value, stamp: { customerId, dependsOn, snapshot, epoch } })
    }
  }

  const loadAndKeep = async (id: string, askedAtMs: number): Promise<T | undefined> => {
    const epoch = judge.epoch()
    const found = await load(id)
    keep(id, askedAtMs, epoch, found)
    return found?.value
  }

  const send = (id: string): Promise<T | undefined> => {
    const askedAtMs = monotonicNow()
    const flight: Flight<T> = {
      askedAtMs,
      answer: loadAndKeep(id, askedAtMs).finally(() => {
        if (flights.get(id) === flight) flights.delete(id)
      }),
    }
    flights.set(id, flight)
    return flight.answer
  }

  const join = (id: string): Promise<T | undefined> => {
    const running = flights.get(id)
    return running && isYoung(running) ? running.answer : send(id)
  }

  // The query begins, and can be joined, only inside the turn: no other caller waits in this caller's place.
  const ask = (id: string, turn: Turn | undefined): Promise<T | undefined> =>
    turn ? turn(() => join(id)) : join(id)

  return {
    /**
     * Returns the fact, or undefined if the id does not exist. Not a promise if the fence knows the cached fact to be
     * fresh. `turn`: in which a query is sent. Optional, because an id from a verified token needs none.
     */
    find(id: string, turn?: Turn): T | undefined | Promise<T | undefined> {
      const last = known.get(id)
      if (!last) {
        const gap = missing.get(id)
        return gap && isYoung(gap) ? undefined : ask(id, turn)
      }
      const { value, stamp } = last
      const freshness = judge.check(stamp)
      const answer = (checked: Freshness) => {
        if (checked === 'fresh') return value
        return checked === 'behind' ? ask(id, turn) : judge.readOr(() => ask(id, turn), value)
      }
      return freshness instanceof Promise ? freshness.then(answer) : answer(freshness)
    },
    /** Replaces the cached fact by the one that the database has now. Earlier queries cannot bring it back. */
    async refresh(id: string): Promise<void> {
      await send(id)
    },
  }
}
