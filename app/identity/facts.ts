import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { Freshness, FreshnessCheck } from '../cache/freshness.ts'
import { isFromServer, parseSnapshot, type Snapshot } from '../cache/snapshot.ts'
import type { Stamped } from '../cache/stamped.ts'
import { selectInstant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import { toUnavailable } from '../db/unreachable.ts'
import type { Turn } from '../overload/queue.ts'
import { createNetworkCheck } from './networks.ts'
import type { CustomerFacts, KeySummary } from './principal.ts'

export type KeyFacts = CustomerFacts &
  Readonly<{
    keyId: string
    secretSha256: Buffer
    /** `undefined` or with `*`: every scope except `onlyNamedScopes`, including scopes of later releases. */
    scopes: ReadonlySet<string> | undefined
    /** Infinity = never. */
    expiresAtMs: number
    /** True until the first login of a key that replaces another one. */
    isPending: boolean
    /** For answers. */
    summary: KeySummary
    revoked: boolean
    /** RFC 3339. `null` = not revoked. */
    revokedAt: string | null
    /** The id of the key that a rotation made instead of this one. */
    replacedBy: string | null
    isAllowedFrom: ((address: string) => boolean) | undefined
    /**
     * The public keys of a client that signs, as JSON (RFC 7517, section 5). `null` if the key has a secret. See
     * docs/decisions/0244-the-kernel-keeps-rows-that-it-reads.md.
     */
    clientJwks: string | null
    /** If false, no token of the key needs a look-up of its revocation. */
    hasRevokedTokens: boolean
  }>

export type FactsOptions = {
  db: Db
  freshness: Pick<FreshnessCheck, 'check' | 'epoch' | 'readOr'>
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

const toFact = <T>(customerId: string, { snapshot, server }: StampRow, value: T): Fact<T> => ({
  customerId,
  value,
  server,
  snapshot: parseSnapshot(snapshot),
})

/** Loads a fact about a customer with a statement that always returns a row with the columns of `stampColumns`. */
export const loadFact = async <Row extends StampRow, T>(
  db: Db,
  customerId: string,
  statement: RawBuilder<Row>,
  toValue: (row: Row) => T,
): Promise<Fact<T>> => {
  const row = (await findRow(db, statement)) as Row
  return toFact(customerId, row, toValue(row))
}

/** `undefined` if the customer does not exist. */
export const loadCustomer = async (db: Db, customerId: string): Promise<Fact<CustomerFacts> | undefined> => {
  const statement = sql<CustomerFacts & StampRow>`
    select ${customerColumns}, ${stampColumns} from find_customer(${customerId})`
  const row = await findRow(db, statement)
  if (!row) return undefined
  const { snapshot, server, ...facts } = row
  return toFact(customerId, { snapshot, server }, facts)
}

type KeyRow = Omit<KeyFacts, 'scopes' | 'isAllowedFrom' | 'summary'> & {
  scopes: string[] | null
  name: string | null
  expiresAt: string | null
  networks: string[] | null
}

/** `undefined` if the key does not exist. */
export const loadKey = async (db: Db, keyId: string): Promise<Fact<KeyFacts> | undefined> => {
  const row = await findRow(
    db,
    sql<KeyRow & StampRow>`
      select ${customerColumns}, ${stampColumns}, key_id as "keyId", secret_sha256 as "secretSha256", scopes, networks,
        client_jwks as "clientJwks", is_pending as "isPending", name, ${selectInstant('expires_at')} as "expiresAt",
        coalesce(extract(epoch from expires_at) * 1000, 'Infinity')::float8 as "expiresAtMs",
        revoked_at is not null as revoked, ${selectInstant('revoked_at')} as "revokedAt", replaced_by as "replacedBy",
        has_revoked_tokens(customer_id, key_id) as "hasRevokedTokens"
      from find_api_key(${keyId})`,
  )
  if (!row) return undefined
  const { snapshot, server, scopes, networks, name, expiresAt, ...facts } = row
  const value = {
    ...facts,
    scopes: scopes ? new Set(scopes) : undefined,
    isAllowedFrom: networks ? createNetworkCheck(networks) : undefined,
    summary: { id: facts.keyId, name, expires_at: expiresAt },
  }
  return toFact(facts.customerId, { snapshot, server }, value)
}

export type TokenId = Readonly<{ customerId: string; keyId: string; jti: string }>

/** The value is true if the token was revoked. An unknown token was not. */
export const loadRevocation = (db: Db, token: TokenId): Promise<Fact<boolean>> => {
  const { customerId, keyId, jti } = token
  const statement = sql<{ revoked: boolean } & StampRow>`
    select is_token_revoked(${customerId}, ${keyId}, ${jti}) as revoked, ${stampColumns}`
  return loadFact(db, customerId, statement, ({ revoked }) => revoked)
}

/** How long "does not exist" or a running query may be reused, counted from the start of the query. */
const maxAgeMs = 500
/** Separate from the facts, so that requests with random ids cannot evict facts. */
const maxMissing = 1_000

type Started = { startedAtMs: number }
type CacheEntry<T> = Started & { value: T; stamp: Stamped }
type RunningQuery<T> = Started & { answer: Promise<T | undefined> }

/** Caches facts until the change log invalidates them, or for STALE_MAX_SECONDS while it cannot be polled. */
export const createFacts = <T>(
  load: (id: string) => Promise<Fact<T> | undefined>,
  { freshness, monotonicNow, maxEntries = 10_000, dependsOn = ['auth'] }: FactsOptions,
) => {
  const cache = new LRUCache<string, CacheEntry<T>>({ max: maxEntries })
  const missing = new LRUCache<string, Started>({ max: maxMissing })
  const running = new Map<string, RunningQuery<T>>()

  const isYoung = ({ startedAtMs }: Started): boolean => monotonicNow() - startedAtMs < maxAgeMs

  const store = (id: string, startedAtMs: number, epoch: string, found: Fact<T> | undefined): void => {
    const last = cache.peek(id) ?? missing.peek(id)
    if (last && last.startedAtMs > startedAtMs) return
    if (!found) {
      cache.delete(id)
      missing.set(id, { startedAtMs })
    } else if (isFromServer(epoch, found.server)) {
      const { customerId, value, snapshot } = found
      cache.set(id, { startedAtMs, value, stamp: { customerId, dependsOn, snapshot, epoch } })
    }
  }

  const loadAndStore = async (id: string, startedAtMs: number): Promise<T | undefined> => {
    const epoch = freshness.epoch()
    const found = await load(id)
    store(id, startedAtMs, epoch, found)
    return found?.value
  }

  const start = (id: string): Promise<T | undefined> => {
    const startedAtMs = monotonicNow()
    const query: RunningQuery<T> = {
      startedAtMs,
      answer: loadAndStore(id, startedAtMs).finally(() => {
        if (running.get(id) === query) running.delete(id)
      }),
    }
    running.set(id, query)
    return query.answer
  }

  const startOrJoin = (id: string): Promise<T | undefined> => {
    const query = running.get(id)
    return query && isYoung(query) ? query.answer : start(id)
  }

  // A caller also joins a running query in its own turn, so it never skips the queue.
  const read = (id: string, turn: Turn | undefined): Promise<T | undefined> =>
    turn ? turn(() => startOrJoin(id)) : startOrJoin(id)

  return {
    /** `undefined` if the id does not exist. Synchronous if the cached fact is fresh. `turn` runs the query. */
    find(id: string, turn?: Turn): T | undefined | Promise<T | undefined> {
      const entry = cache.get(id)
      if (!entry) {
        const gap = missing.get(id)
        return gap && isYoung(gap) ? undefined : read(id, turn)
      }
      const { value, stamp } = entry
      const verdict = freshness.check(stamp)
      const answer = (checked: Freshness) => {
        if (checked === 'fresh') return value
        return checked === 'behind' ? read(id, turn) : freshness.readOr(() => read(id, turn), value)
      }
      return verdict instanceof Promise ? verdict.then(answer) : answer(verdict)
    },
    async refresh(id: string): Promise<void> {
      await start(id)
    },
  }
}
