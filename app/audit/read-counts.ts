import { hash } from 'node:crypto'
import { splitTarget } from '../http/pairs.ts'
import type { AuditEvent } from './record.ts'

type Mac = { mac(purpose: string, data: string): Buffer }

const purpose = 'audit-query'
/** 72 bits, enough to distinguish the queries of one customer. */
const keptBytes = 9
/** Removes the prefix: `/v1/lab`, `/webapi/v1/api.php/lab` and `/lab` become `lab`. */
export const canonicalPath = (path: string): string => path.replace(/^(?:\/webapi\/v1\/api\.php|\/v1)?\//, '')

const isSyncToken = (pair: string): boolean =>
  pair.startsWith('lastEventId=') || (pair.startsWith('after=') && pair !== 'after=snapshot')

const isCursor = (path: string, pair: string): boolean =>
  pair.startsWith('cursor=') || (path.endsWith('/changes') && isSyncToken(pair))

/** Removes the cursor or sync token, because all pages of a list count as one query. */
export const withoutCursor = (target: string): string => {
  if (!/cursor=|after=|lastEventId=/.test(target)) return target
  const { path, rawQuery } = splitTarget(target)
  const kept = rawQuery.split('&').filter((pair) => !isCursor(path, pair))
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`
}

/** A keyed hash of a query, independent of page and order of parameters. The values cannot be guessed from it. */
export const fingerprintQuery = (secrets: Mac, target: string): string => {
  const { path, rawQuery } = splitTarget(withoutCursor(target))
  const pairs = rawQuery === '' ? [] : rawQuery.split('&')
  const text = [canonicalPath(path), ...pairs.sort()].join('\n')
  return secrets.mac(purpose, text).subarray(0, keptBytes).toString('base64url')
}

/**
 * The customer of a live key is looked up when the count is stored: the slug of an erased customer may then
 * belong to another one. See docs/decisions/0026-refused-tokens-are-audited-by-key.md.
 */
export type Reader = Readonly<
  { kind: 'live'; keyId: string } | { kind: 'demo'; customerId: string; keyId: string }
>

type ReadCountsOptions = {
  now: () => number
  fingerprint: (target: string) => string
}

// See docs/decisions/0077-reads-wait-in-an-unsealed-table.md.
/** `rows`: number of records. `route`: the pattern, `custom/<name>`, or '' if no route matched. */
type CountedRead = Readonly<{ target: string; status: number; rows: number; route: string }>

/** An answer that was sent. `refusedKeyId`: of a valid token that was refused. */
type CountedAnswer = Readonly<{
  principal: Reader | undefined
  refusedKeyId: string | undefined
  target: string
  status: number
  rows: number
  route: string | undefined
  /** `custom/<name>`. */
  endpoint?: string | undefined
  /** The route needs a token. */
  isClosed: boolean
}>

export type ReadCounts = {
  /** Counts a read of a known client, or a refusal of an unknown client at a route that needs a token. */
  addAnswer(answer: CountedAnswer): void
  /** Counts by query for a live key and a route without parameters, otherwise by route. */
  add(reader: Reader | undefined, read: CountedRead): void
  /** For an unknown client. `route` may also be a reason such as `login: invalid_api_key`. */
  addRefusal(route: string, status: number): void
  /** Yields the counts of each key since the last call, and resets them. Read it to the end. */
  drain(): Generator<AuditEvent[], void>
  readonly size: number
}

/** `query`: a fingerprint, or null if all queries of the resource are counted together. */
type Count = { status: number; resource: string; query: string | null; count: number; rows: number }
type CountsByStatus = Map<number, Map<string, Count>>
type KeyCounts = {
  reader: Reader | undefined
  /** By target without cursor, or its hash. `add_audit_reads` adds up counts of the same fingerprint. */
  byQuery: CountsByStatus
  byRoute: CountsByStatus
  all: Count[]
  separate: number
  separateRefusals: number
}

/** Queries per key and minute. `add_audit_reads` applies the same limit to all instances together. */
const maxSeparate = 100
/** So that a flood of refusals leaves room for other queries. */
const maxSeparateRefusals = 50
/** Of all keys together: about 20 MB. */
const maxSeparateOfAll = 50_000
const maxTargetLength = 250

const isRefusal = (status: number): boolean => status >= 400

const minuteMs = 60_000

const addCount = (
  { all }: KeyCounts,
  counts: CountsByStatus,
  name: string,
  subject: Omit<Count, 'count' | 'rows'>,
): Count => {
  const count = { ...subject, count: 0, rows: 0 }
  const byName = counts.get(subject.status) ?? new Map<string, Count>()
  counts.set(subject.status, byName.set(name, count))
  all.push(count)
  return count
}

const takeEvents = ({ reader, all }: KeyCounts, minute: string): AuditEvent[] =>
  all
    .filter(({ count }) => count > 0)
    .map((each) => {
      const { resource, query, status, count, rows } = each
      Object.assign(each, { count: 0, rows: 0 })
      return {
        actor: reader ? (reader.kind === 'demo' ? 'demo' : 'key') : 'anonymous',
        action: reader ? 'reads' : 'refusals',
        outcome: isRefusal(status) ? 'refused' : 'ok',
        customer: reader?.kind === 'demo' ? reader.customerId : undefined,
        keyId: reader?.kind === 'live' ? reader.keyId : undefined,
        details: { minute, resource, query, status, count, rows },
      }
    })

/** Reads between the end of a minute and the next `drain` count for that minute. `now`: ms since 1970. */
export const createReadCounts = ({ now, fingerprint }: ReadCountsOptions): ReadCounts => {
  let keys = new Map<string, KeyCounts>()
  let since = now()
  let separateOfAll = 0

  const getKey = (reader: Reader | undefined): KeyCounts => {
    const name = reader?.keyId ?? ''
    const known = keys.get(name)
    if (known) return known
    const created: KeyCounts = {
      reader,
      byQuery: new Map(),
      byRoute: new Map(),
      all: [],
      separate: 0,
      separateRefusals: 0,
    }
    keys.set(name, created)
    return created
  }

  const findByRoute = (key: KeyCounts, route: string, status: number): Count =>
    key.byRoute.get(status)?.get(route) ??
    addCount(key, key.byRoute, route, { status, resource: canonicalPath(route), query: null })

  const findByQuery = (key: KeyCounts, target: string, status: number, route: string): Count => {
    const text = withoutCursor(target)
    // The fingerprint takes several times as long, and this code runs for every answer.
    const name = text.length > maxTargetLength ? hash('sha256', text) : text
    const known = key.byQuery.get(status)?.get(name)
    if (known) return known
    const isRefused = isRefusal(status)
    const isFull = key.separate >= maxSeparate || separateOfAll >= maxSeparateOfAll
    if (isFull || (isRefused && key.separateRefusals >= maxSeparateRefusals)) {
      return findByRoute(key, route, status)
    }
    separateOfAll += 1
    key.separate += 1
    if (isRefused) key.separateRefusals += 1
    const subject = { status, resource: canonicalPath(route), query: fingerprint(text) }
    return addCount(key, key.byQuery, name, subject)
  }

  const add: ReadCounts['add'] = (reader, { target, status, rows, route }) => {
    const key = getKey(reader)
    const isSeparate = reader?.kind === 'live' && !route.includes('/:')
    const count = isSeparate ? findByQuery(key, target, status, route) : findByRoute(key, route, status)
    count.count += 1
    count.rows += rows
  }
  const addRefusal: ReadCounts['addRefusal'] = (route, status) => {
    findByRoute(getKey(undefined), route, status).count += 1
  }

  return {
    add,
    addRefusal,
    addAnswer({ principal, refusedKeyId: keyId, target, status, rows, route, endpoint, isClosed }) {
      const reader = principal ?? (keyId === undefined ? undefined : ({ kind: 'live', keyId } as const))
      if (reader) add(reader, { target, status, rows, route: endpoint ?? route ?? '' })
      else if ((status === 401 || status === 403) && route !== undefined && isClosed)
        addRefusal(route, status)
    },
    *drain() {
      const minute = `${new Date(since).toISOString().slice(0, 16)}Z`
      const counted = keys
      if (Math.floor(now() / minuteMs) !== Math.floor(since / minuteMs)) {
        keys = new Map()
        separateOfAll = 0
        since = now()
      }
      for (const key of counted.values()) {
        const events = takeEvents(key, minute)
        if (events.length > 0) yield events
      }
    },
    get size() {
      return [...keys.values()].flatMap(({ all }) => all).filter(({ count }) => count > 0).length
    },
  }
}
