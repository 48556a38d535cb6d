import { type RawBuilder, sql } from 'kysely'
import { includesSnapshot, parseSnapshot, type Snapshot } from '../cache/snapshot.ts'
import { instantText } from '../db/page/projection.ts'
import type { Db } from '../db/schema.ts'
import { ApiError } from '../errors.ts'
import type { SyncToken } from './token.ts'

/** What every statement of the feed says of itself. */
export type Epoch = Readonly<{
  /** What the statement saw. */
  snapshot: Snapshot
  /** The database's clock at its start, RFC 3339: every commit before it is in `snapshot`. */
  at: string
  /** Which history of which database. */
  identity: string
  /** Below this transaction the log has been pruned. */
  prunedBelow: number
}>

/** Columns of a statement that reads from `change_epoch() epoch`. */
export type EpochRow = {
  snapshot: string
  at: string
  recovering: boolean
  identity: string
  begun: boolean
  pruned_below: string | null
}

/** The columns of `EpochRow`. */
export const epochColumns: RawBuilder<unknown> = sql.raw(
  `pg_current_snapshot()::text as snapshot, ${instantText('now()')} as at,
  pg_is_in_recovery() as recovering, epoch.identity, epoch.begun, epoch.pruned_below`,
)

/** The log is another history's, as after a restore: see begin_changes. */
class AnotherHistory extends Error {}

/** Throws unavailable on a standby, whose snapshots do not tell what is running. */
export const readEpoch = (row: EpochRow): Epoch => {
  if (row.recovering) throw new ApiError('unavailable', { headers: { 'retry-after': '1' } })
  if (!row.begun) throw new AnotherHistory(row.identity)
  const { at, identity } = row
  return { snapshot: parseSnapshot(row.snapshot), at, identity, prunedBelow: Number(row.pruned_below) }
}

/** Does `work`; where the log was another history's, once more after it has begun anew. */
export const withBegunLog = async <T>(db: Db, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AnotherHistory)) throw error
    await sql`select begin_changes(interval '0')`.execute(db)
    return work()
  }
}

/** How long a token is good, and the log is kept. */
export const retentionDays = 90
const daySeconds = 86_400

const expired = (reason: string): ApiError =>
  new ApiError('sync_token_expired', { detail: `${reason}: start again with after=snapshot` })

/** 410, for a table that was truncated: the log does not name the rows. */
export const refuseTruncated = (resource: string): ApiError => expired(`${resource} were emptied at once`)

/** Seconds since 1970 of an instant. */
export const toSeconds = (instant: string): number => Math.floor(Date.parse(instant) / 1000)

/**
 * Throws 410 where the log cannot tell what changed since the token: it is too old, of another history, or of a
 * time that this database has not seen or no longer remembers.
 */
export const requireFollowable = (token: SyncToken, epoch: Epoch, nowSeconds: number): void => {
  if (token.identity !== epoch.identity) {
    throw expired('The database has been restored, moved or failed over since')
  }
  if (nowSeconds - token.issuedAt > retentionDays * daySeconds) {
    throw expired(`This token is older than ${retentionDays} days`)
  }
  const seen = [token.base, token.diff?.target ?? token.base]
  if (!seen.every((snapshot) => includesSnapshot(epoch.snapshot, snapshot))) {
    throw expired('The database has gone back to a time before this token')
  }
  if (token.base.xmin < epoch.prunedBelow) {
    throw expired('Changes since this token are no longer kept')
  }
}
