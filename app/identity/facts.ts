import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Freshness, FreshnessCheck } from '../cache/freshness.ts'
import { isFromServer, parseSnapshot, type Snapshot } from '../cache/snapshot.ts'
import type { Stamped } from '../cache/stamped.ts'
import type { Db } from '../db/schema.ts'
import { toUnavailable } from '../db/unreachable.ts'
import type { Turn } from '../overload/queue.ts'
import { type ClientProver, readClientProver } from './client-keys.ts'
import { createNetworkCheck } from './networks.ts'
import type { CustomerFacts } from './principal.ts'

export type KeyFacts = CustomerFacts &
  Readonly<{
    keyId: string
    secretSha256: Buffer
    /** undefined = every scope, including scopes of later releases. */
    scopes: ReadonlySet<string> | undefined
    /** Infinity = never. */
    expiresAtMs: number
    revoked: boolean
    isAllowedFrom: ((address: string) => boolean) | undefined
    client: ClientProver | undefined
    /** True if an unexpired token of the key was revoked. Only then is each token looked up. */
    hasRevokedTokens: boolean
  }>

export type FactsOptions = {
  db: Db
  judge: Pick<FreshnessCheck, 'check' | 'epoch' | 'readOr'>
  now: () => number
  monotonicNow: () => number
  /** About 0.5 kB each. Defaults to 10,000. */
  maxEntries?: number
  /** Names in the change log that invalidate these facts. Defaults to `['auth']`. */
  dependsOn?: readonly string[]
}

/** Returns the first row, if any. Rejects with `unavailable` if unreachable, else with the driver's error. */
export const findRow = async <Row>(db: Db, query: RawBuilder<Row>): Promise<Row | undefined> => {
  try {
    return (await query.execute(db)).rows[0]
  } catch (cause) {
    throw toUnavailable(cause)
  }
}

const customerColumns = sql`customer_id as "customerId", plan, suspended_at is not null as suspended,
  expiring_within as "expiringWithin"`
export const stampColumns = sql`pg_current_snapshot()::text as "snapshot",
  extract(epoch from pg_postmaster_start_time())::text as "server"`

export type StampRow = { snapshot: string; server: string }

export type Fact<T> = Readonly<{ customerId: string; value: T; snapshot: Snapshot; server: string }>

const rights = ['auth']

/** Combines a value with the stamp of its row. */
export const toFact = <T>(customerId: string, { snapshot, server }: StampRow, value: T): Fact<T> => {
  return { customerId, value, snapshot: parseSnapshot(snapshot), server }
}

/** `undefined` if the customer does not exist. */
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

/** Loads a key and its customer. `undefined` if the key does not exist. */
export const loadKey = async (db: Db, keyId: string): Promise<Fact<KeyFacts> | undefined> => {
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

export type TokenId = Readonly<{ customerId: string; keyId: string; jti: string }>

/** Whether this token was revoked. */
export const loadRevocation = async (db: Db, token: TokenId): Promise<Fact<boolean> | undefined> => {
  const { customerId, keyId, jti } = token
  const row = await findRow(
    db,
    sql<{ revoked: boolean } & StampRow>`
      select is_token_revoked(${customerId}, ${keyId}, ${jti}) as revoked, ${stampColumns}`,
  )
  return row && toFact(customerId, row, row.revoked)
}

/** How long a cached "does not exist" or a running query may be reused, counted from the start of the query. */
const maxAgeMs = 500
/** Separate from the facts, so that requests with random ids evict none. */
const maxMissing = 1_000

type Asked = { askedAtMs: number }
type Known<T> = Asked & { value: T; stamp: Stamped }
type Flight<T> = Asked & { answer: Promise<T | undefined> }

/**
 * Caches the facts that `load` returns, and missing ids for `maxAgeMs`. Concurrent callers share one query
 * unless it is older. Errors are not cached.
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
    } else if (isFromServer(epoch, found.server)) {
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

  // Callers start or join a query only in their own turn, so no caller waits in another caller's turn.
  const ask = (id: string, turn: Turn | undefined): Promise<T | undefined> =>
    turn ? turn(() => join(id)) : join(id)

  return {
    /**
     * Returns the fact; `undefined` if the id does not exist. Synchronous if the cached fact is fresh. `turn`
     * runs the query. Optional, because an id from a verified token needs no turn.
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
    async refresh(id: string): Promise<void> {
      await send(id)
    },
  }
}
