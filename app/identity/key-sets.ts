import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { inTurn, type QueuedDb } from '../db/connect.ts'
import type { Outbound } from '../http/outbound.ts'
import { parseUniqueJson } from '../http/unique-json.ts'
import { type ClientKey, importClientKeys, type PublicJwk, parsePublishedKeys } from './client-keys.ts'
import { findRow, type KeyFacts } from './facts.ts'

const requestLimits = { maxBytes: 65_536, timeoutMs: 3_000 } as const
/** How long fetched keys stay valid while their address fails. */
const keepSeconds = 3_600
/** Maximum time until the result of a fetch is stored. */
const fetchSeconds = requestLimits.timeoutMs / 1000 + 0.2
const waitStepMs = 100
/** How long an instance reuses a result. Not less, so that it does not wait for its own failed fetch. */
const memoryMs = fetchSeconds * 1000
const maxEntries = 1_000

type KeySetsOptions = {
  db: QueuedDb
  outbound: Outbound
  monotonicNow: () => number
  warn: (reason: string, message: string) => void
}

type Publisher = Pick<KeyFacts, 'customerId' | 'keyId'> & { jwksUri: string }

/**
 * `find` returns `undefined` if the last fetch failed and no stored keys are younger than an hour. Rejects with 503 if
 * the database is unreachable or overloaded.
 */
export type KeySets = Readonly<{
  find(publisher: Publisher): Promise<readonly ClientKey[] | undefined>
}>

type StoredKeySet = {
  isDue: boolean
  jwks: string | null
  ageSeconds: number | null
  askedSeconds: number | null
}

/** Whether another instance may be fetching the address: it was claimed, and no result was stored since then. */
const isBeingFetched = ({ isDue, ageSeconds, askedSeconds }: StoredKeySet): boolean =>
  !isDue && askedSeconds !== null && askedSeconds < fetchSeconds && (ageSeconds ?? Infinity) > askedSeconds

const readKeys = async (outbound: Outbound, uri: string): Promise<PublicJwk[]> => {
  const { status, body } = await outbound(uri, { ...requestLimits, headers: { accept: 'application/json' } })
  if (status !== 200) throw new Error(`status ${status}`)
  return parsePublishedKeys(parseUniqueJson(body.toString()))
}

/**
 * Finds the keys that clients publish at their `jwks_uri`. All instances together fetch and store a client's
 * keys at most once a minute. While one instance fetches, the others wait, so that all accept a new key.
 */
export const createKeySets = ({ db, outbound, monotonicNow, warn }: KeySetsOptions): KeySets => {
  const refresh = async ({ customerId, keyId, jwksUri }: Publisher) => {
    const jwks = await readKeys(outbound, jwksUri).catch((error: Error) => {
      // Not the message, which may contain text of the customer's server.
      warn('the address failed', `the keys of a client could not be read: ${error.name}`)
      return undefined
    })
    if (!jwks) return undefined
    const text = JSON.stringify(jwks)
    await inTurn(db, customerId, () =>
      findRow(db, sql`select keep_key_set(${customerId}, ${keyId}, ${jwksUri}, ${text}::jsonb)`),
    )
    return jwks
  }

  const load = async (publisher: Publisher): Promise<readonly ClientKey[] | undefined> => {
    const { customerId, keyId, jwksUri } = publisher
    const stored = await inTurn(db, customerId, () =>
      findRow(
        db,
        sql<StoredKeySet>`
          select is_due as "isDue", jwks, age_seconds as "ageSeconds", asked_seconds as "askedSeconds"
          from take_key_set(${customerId}, ${keyId}, ${jwksUri})`,
      ),
    )
    if (!stored) return undefined
    // Not in a turn, because a slow address would delay the logins of other clients.
    const fresh = stored.isDue ? await refresh(publisher) : undefined
    if (fresh) return importClientKeys(fresh)
    if (isBeingFetched(stored)) {
      await delay(waitStepMs)
      return load(publisher)
    }
    const { jwks, ageSeconds } = stored
    if (jwks === null || ageSeconds === null || ageSeconds > keepSeconds) return undefined
    return importClientKeys(JSON.parse(jwks) as PublicJwk[])
  }

  const cache = new LRUCache<string, { keys: readonly ClientKey[] | undefined }, Publisher>({
    ...{ max: maxEntries, ttl: memoryMs, ttlResolution: 0, perf: { now: monotonicNow } },
    ignoreFetchAbort: true,
    fetchMethod: async (_name, _stale, { context }) => ({ keys: await load(context) }),
  })
  return {
    async find(publisher) {
      const name = `${publisher.keyId} ${publisher.jwksUri}`
      return (await cache.fetch(name, { context: publisher }))?.keys
    },
  }
}
