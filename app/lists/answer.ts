import { sql } from 'kysely'
import { computeTag, createEtag, type Filled, tagPrefix } from '../cache/entry.ts'
import type { ReadResult } from '../cache/freshness.ts'
import { parseSnapshot } from '../cache/snapshot.ts'
import { instantText } from '../db/instant.ts'
import { toUnavailable } from '../db/unreachable.ts'
import { ApiError } from '../errors.ts'
import { formatStale } from '../http/fields.ts'
import { jsonType } from '../http/formats.ts'

export type Stamp = {
  snapshot: string
  /** The database's clock before the snapshot, RFC 3339. `statement_timestamp()` may be later. */
  at: string
  /** Start time of PostgreSQL, which identifies its sequence of transaction ids. */
  server: string
  /** A standby's newest mark, which identifies the primary that it follows. Empty on a primary. */
  standby: string
}

/** Columns of a statement whose answer is cached. See `Stamp`. */
export const stampColumns = sql`pg_current_snapshot()::text as snapshot, ${sql.raw(instantText('now()'))} as at,
      extract(epoch from pg_postmaster_start_time())::text as server,
      case when pg_is_in_recovery() then coalesce(newest_mark(), 'unmarked') else '' end as standby`

/** `next`: path and query of the next page. `undefined` on the last page. */
export type WrittenPage = Readonly<{ json: string; rows: number; next: string | undefined }>

const prefix = tagPrefix(jsonType)

type TaggedBody = Pick<Filled, 'body' | 'etag'>

const toBody = (json: string): TaggedBody => {
  const tagged = Buffer.from(prefix + json)
  return { body: tagged.subarray(prefix.length), etag: computeTag(tagged) }
}
const noBody = toBody('')

const toEntry = (
  { snapshot, at, server, standby }: Stamp,
  tagged: TaggedBody,
  { isAbsent, rows }: Pick<Filled, 'isAbsent' | 'rows'>,
): Filled => ({
  snapshot: parseSnapshot(snapshot, standby !== ''),
  // A standby's clock does not show how far it has replayed.
  ...(standby === '' ? { server, at } : { standby }),
  isAbsent,
  ...tagged,
  rows,
})

/** Converts a row for the cache. `json`: `undefined` if the record does not exist. `rows`: number of records. */
export const toFilled = (stamp: Stamp, json: string | undefined, rows: number): Filled =>
  toEntry(stamp, json === undefined ? noBody : toBody(json), { isAbsent: json === undefined, rows })

/** Converts an answer of another media type for the cache. `rows`: number of records. */
export const toFilledBody = (stamp: Stamp, type: string, text: string, rows: number): Filled => {
  const body = Buffer.from(text)
  return toEntry(stamp, { body, etag: createEtag(type, body) }, { isAbsent: false, rows })
}

/** Converts a row and its page for the cache. */
export const toFilledPage = (stamp: Stamp, { json, rows, next }: WrittenPage): Filled => {
  const filled = toFilled(stamp, json, rows)
  return next === undefined ? filled : { ...filled, next }
}

/** Returns 404. `cacheStatus`: only if the answer may be wrong, because an error has no other sign of it. */
export const notFound = (detail: string, cacheStatus?: string): ApiError =>
  new ApiError('not_found', {
    detail,
    ...(cacheStatus === undefined ? {} : { headers: { 'cache-status': cacheStatus } }),
  })

const formatDoubt = ({ staleSeconds, isDistrusted }: ReadResult): string | undefined => {
  if (staleSeconds !== undefined) return formatStale(staleSeconds)
  return isDistrusted ? 'certdata; detail=distrusted' : undefined
}

/** Passes on an answer that is not absent. Throws or rejects with not_found; rejects with unavailable. */
export const requirePresent = (
  answer: ReadResult | Promise<ReadResult>,
  detail: string | undefined,
): ReadResult | Promise<ReadResult> => {
  const check = (found: ReadResult): ReadResult => {
    if (found.entry.isAbsent) throw notFound(detail ?? '', formatDoubt(found))
    return found
  }
  if (!(answer instanceof Promise)) return check(answer)
  return answer.then(check, (error) => {
    throw toUnavailable(error)
  })
}
