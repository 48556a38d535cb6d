import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { inTurn } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import type { Outbound } from '../http/outbound.ts'
import { parseUniqueJson } from '../http/unique-json.ts'
import { type ClientKey, importClientKeys, type PublicJwk, parsePublishedKeys } from './client-keys.ts'
import { findRow, type KeyFacts } from './facts.ts'

/** Of a key set; ten keys have some 8 kB. */
const requestLimits = { maxBytes: 65_536, timeoutMs: 3_000 } as const
/** How long the keys read last count while the address does not answer. */
const keepSeconds = 3_600
/** An address is read at most this often. */
const dueSeconds = 60
/** How long an instance waits for keys that another instance reads, and how often it asks for them. */
const waitMs = requestLimits.timeoutMs + 200
const waitStepMs = 100
/** How long an instance does not ask the database again. */
const memoryMs = 1_000
const maxEntries = 1_000

type KeySetsOptions = {
  db: Db
  outbound: Outbound
  /** Milliseconds from any start, never going back. */
  monotonicNow: () => number
  /** Hears why keys could not be read. */
  warn: (reason: string, message: string) => void
}

/** Who publishes keys, and where. */
type Publisher = Pick<KeyFacts, 'customerId' | 'keyId'> & { jwksUri: string }

/**
 * `keys` is undefined if there are none to go by: the address did not answer, or not with a key set, and what it said
 * last is too old.
 */
export type KeySets = Readonly<{
  find(publisher: Publisher): Promise<readonly ClientKey[] | undefined>
}>

type TakenRow = { isDue: boolean; jwks: string | null; ageSeconds: number | null }
type Known = { askedAtMs: number; isPending: boolean; answer: ReturnType<KeySets['find']> }

const nameOf = ({ keyId, jwksUri }: Publisher): string => `${keyId} ${jwksUri}`

const readKeys = async (outbound: Outbound, uri: string): Promise<PublicJwk[]> => {
  const { status, body } = await outbound(uri, { ...requestLimits, headers: { accept: 'application/json' } })
  if (status !== 200) throw new Error(`status ${status}`)
  return parsePublishedKeys(parseUniqueJson(body.toString()))
}

/**
 * Finds the keys that clients publish at an address of theirs. All instances together read an address at most once a
 * minute, when its client logs in; the database has what was read last. An address that fails is tried as often. While
 * one instance reads, the others wait for the keys, so that a new key counts on all instances immediately. Reads of the
 * database take turns of the customer, because concurrent requests from several networks share them.
 */
export const createKeySets = ({ db, outbound, monotonicNow, warn }: KeySetsOptions): KeySets => {
  const known = new LRUCache<string, Known>({ max: maxEntries })
  /** When this instance began to read an address, or to wait for another instance that may be reading it. */
  const begun = new LRUCache<string, number>({ max: maxEntries })

  /** Whether to wait for another instance: once for each time that the address is due. */
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
      // One reason for all: what an address of a customer's says is without bound.
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
    if (taken?.isDue) begun.set(nameOf(publisher), monotonicNow() - waitMs)
    // Outside the turn: a slow address would delay the logins of other clients.
    const fresh = taken?.isDue ? await refresh(publisher) : undefined
    if (fresh) return importClientKeys(fresh)
    const ageSeconds = taken?.ageSeconds ?? Number.POSITIVE_INFINITY
    // Not due, and not read within the minute: the address fails, or another instance is reading it.
    if (taken && !taken.isDue && ageSeconds >= dueSeconds && mayWait(nameOf(publisher))) {
      await delay(waitStepMs)
      return ask(publisher)
    }
    if (!taken?.jwks || ageSeconds > keepSeconds) return undefined
    return importClientKeys(JSON.parse(taken.jwks) as PublicJwk[])
  }

  return {
    find(publisher) {
      const name = nameOf(publisher)
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
