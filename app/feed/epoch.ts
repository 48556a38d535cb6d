import { type RawBuilder, sql } from 'kysely'
import { includesSnapshot, parseSnapshot, type Snapshot } from '../cache/snapshot.ts'
import { instantText } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import { ApiError, unavailable } from '../errors.ts'
import { type DayAndWindow, type SyncToken, targetOf } from './token.ts'

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
  /** The newest random mark that the statement saw. */
  mark: string
  /** The newest one that is visible in the token's target; undefined: none. */
  targetMark: string | undefined
}>

/** Columns of a statement that reads from `epochSource` as `epoch`. */
export type EpochRow = {
  snapshot: string
  at: string
  recovering: boolean
  identity: string
  begun: boolean
  pruned_below: string | null
  mark: string
  target_mark: string | null
}

/** What `epochColumns` are read from. `target`: the snapshot that the records of a token show, or will show. */
export const epochSource = (target: Snapshot | undefined): RawBuilder<unknown> =>
  sql`change_history(${target?.text ?? null}::pg_snapshot) epoch`

/** The columns of `EpochRow`. */
export const epochColumns: RawBuilder<unknown> = sql.raw(
  `pg_current_snapshot()::text as snapshot, ${instantText('now()')} as at,
  pg_is_in_recovery() as recovering, epoch.identity, epoch.begun, epoch.pruned_below,
  epoch.mark, epoch.target_mark`,
)

/** The log is another history's, as after a restore, or bears no mark of this server's start: see begin_changes. */
class AnotherHistory extends Error {}

/** Throws unavailable on a standby, whose snapshots do not tell what is running. */
export const readEpoch = (row: EpochRow): Epoch => {
  if (row.recovering) throw unavailable()
  if (!row.begun) throw new AnotherHistory(row.identity)
  const { at, identity, mark } = row
  return {
    ...{ at, identity, mark },
    snapshot: parseSnapshot(row.snapshot),
    prunedBelow: Number(row.pruned_below),
    targetMark: row.target_mark ?? undefined,
  }
}

/** Does `work`; where the log has not begun for this history and start of the server, once more after it has. */
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

/** A token of now: what `epoch` shows is not in the feed that follows. */
export const beginToken = (
  { snapshot, at, identity, mark }: Epoch,
  { resources, bindings, view }: Pick<SyncToken, 'resources' | 'view'> & { bindings: DayAndWindow },
): SyncToken => ({
  ...{ identity, issuedAt: toSeconds(at), resources, base: snapshot, baseAt: at, mark, view },
  ...{ moment: bindings, flip: undefined, diff: undefined },
})

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
  const seen = [token.base, targetOf(token)]
  if (!seen.every((snapshot) => includesSnapshot(epoch.snapshot, snapshot))) {
    throw expired('The database has gone back to a time before this token')
  }
  // See docs/decisions/0073-random-marks-distinguish-histories.md.
  // Files that were put back count transactions on from where they were copied, and lack the marks written since.
  if (token.mark !== undefined && token.mark !== epoch.targetMark) {
    throw expired('The database has been restored since')
  }
  if (token.base.xmin < epoch.prunedBelow) {
    throw expired('Changes since this token are no longer kept')
  }
}
