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
/** Minimum interval between two fetches of an address. */
const dueSeconds = 60
const waitMs = requestLimits.timeoutMs + 200
const waitStepMs = 100
/** How long an instance reuses a result before it queries the database again. */
const memoryMs = 1_000
const maxEntries = 1_000

type KeySetsOptions = {
  db: QueuedDb
  outbound: Outbound
  monotonicNow: () => number
  warn: (reason: string, message: string) => void
}

type Publisher = Pick<KeyFacts, 'customerId' | 'keyId'> & { jwksUri: string }

/** `find` returns `undefined` if the last fetch failed and the stored keys are too old. */
export type KeySets = Readonly<{
  find(publisher: Publisher): Promise<readonly ClientKey[] | undefined>
}>

type TakenRow = { isDue: boolean; jwks: string | null; ageSeconds: number | null }
type Known = { askedAtMs: number; isPending: boolean; answer: ReturnType<KeySets['find']> }

const toKey = ({ keyId, jwksUri }: Publisher): string => `${keyId} ${jwksUri}`

const readKeys = async (outbound: Outbound, uri: string): Promise<PublicJwk[]> => {
  const { status, body } = await outbound(uri, { ...requestLimits, headers: { accept: 'application/json' } })
  if (status !== 200) throw new Error(`status ${status}`)
  return parsePublishedKeys(parseUniqueJson(body.toString()))
}

/**
 * Finds the keys that clients publish at their `jwks_uri`. All instances together fetch an address at most once a
 * minute and store the result. While one instance fetches, the others wait, so that all accept a new key.
 */
export const createKeySets = ({ db, outbound, monotonicNow, warn }: KeySetsOptions): KeySets => {
  const known = new LRUCache<string, Known>({ max: maxEntries })
  /** When this instance last began to fetch an address or to wait for another instance. */
  const begun = new LRUCache<string, number>({ max: maxEntries })

  const mayWait = (name: string): boolean => {
    const now = monotonicNow()
    const beganMs = begun.get(name) ?? Number.NEGATIVE_INFINITY
    if (now - beganMs < dueSeconds * 1000) return now - beganMs < waitMs
    begun.set(name, now)
    return true
  }

  const refresh = async ({ customerId, keyId, jwksUri }: Publisher) => {
    try {
      const jwks = await readKeys(outbound, jwksUri)
      const text = JSON.stringify(jwks)
      await inTurn(db, customerId, () =>
        findRow(db, sql`select keep_key_set(${customerId}, ${keyId}, ${jwksUri}, ${text}::jsonb)`),
      )
      return jwks
    } catch (error) {
      // Not the message, which may contain text of the customer's server.
      warn('the address failed', `the keys of a client could not be read: ${(error as Error).name}`)
      return undefined
    }
  }

  const ask = async (publisher: Publisher): Promise<readonly ClientKey[] | undefined> => {
    const { customerId, keyId, jwksUri } = publisher
    const taken = await inTurn(db, customerId, () =>
      findRow(
        db,
        sql<TakenRow>`select is_due as "isDue", jwks, age_seconds as "ageSeconds"
          from take_key_set(${customerId}, ${keyId}, ${jwksUri})`,
      ),
    )
    if (taken?.isDue) begun.set(toKey(publisher), monotonicNow() - waitMs)
    // Not in a turn, because a slow address would delay the logins of other clients.
    const fresh = taken?.isDue ? await refresh(publisher) : undefined
    if (fresh) return importClientKeys(fresh)
    const ageSeconds = taken?.ageSeconds ?? Number.POSITIVE_INFINITY
    // Not due, but without a recent result: the address fails, or another instance is fetching it.
    if (taken && !taken.isDue && ageSeconds >= dueSeconds && mayWait(toKey(publisher))) {
      await delay(waitStepMs)
      return ask(publisher)
    }
    if (!taken?.jwks || ageSeconds > keepSeconds) return undefined
    return importClientKeys(JSON.parse(taken.jwks) as PublicJwk[])
  }

  return {
    find(publisher) {
      const name = toKey(publisher)
      const last = known.get(name)
      if (last && (last.isPending || monotonicNow() - last.askedAtMs < memoryMs)) return last.answer
      const answer = ask(publisher)
      const entry = { askedAtMs: monotonicNow(), isPending: true, answer }
      known.set(name, entry)
      const settle = () => {
        entry.isPending = false
      }
      answer.then(settle, () => known.delete(name))
      return answer
    },
  }
}
