import { type RawBuilder, sql } from 'kysely'
import { includesSnapshot, parseSnapshot, type Snapshot } from '../../cache/snapshot.ts'
import { daySeconds } from '../../config/units.ts'
import { instantText } from '../../db/instant.ts'
import type { Db } from '../../db/schema.ts'
import { retentionDays } from '../../db/upkeep.ts'
import { unavailable } from '../../errors.ts'
import { loadCustomer } from '../../identity/facts.ts'
import { defaultExpiringWithin } from '../../identity/principal.ts'
import { type DayAndWindow, expireToken, getTarget, type SyncToken } from './token.ts'

export type Epoch = Readonly<{
  snapshot: Snapshot
  /** The database's clock, RFC 3339. `snapshot` shows every commit before it. */
  at: string
  identity: string
  prunedBelow: number
  mark: string
  /** The newest random mark that the token's target shows. `undefined` if it shows none. */
  targetMark: string | undefined
}>

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

/** The row `epoch` that `epochColumns` reads. Without a target, its `target_mark` is null. */
export const epochSource = (target: Pick<Snapshot, 'text'> | undefined): RawBuilder<unknown> =>
  sql`change_history(${target?.text ?? null}::pg_snapshot) epoch`

export const epochColumns: RawBuilder<unknown> = sql.raw(
  `pg_current_snapshot()::text as snapshot, ${instantText('now()')} as at,
  pg_is_in_recovery() as recovering, epoch.identity, epoch.begun, epoch.pruned_below,
  epoch.mark, epoch.target_mark`,
)

/** The log is from before a restore, or lacks the mark of this server start. `begin_changes` corrects both. */
class AnotherHistory extends Error {}

export const epochStatement: RawBuilder<EpochRow> = sql`select ${epochColumns} from ${epochSource(undefined)}`

/** Throws unavailable on a standby, which lists no running transactions, or AnotherHistory if not `begun`. */
export const readEpoch = (row: EpochRow): Epoch => {
  if (row.recovering) throw unavailable()
  if (!row.begun) throw new AnotherHistory(row.identity)
  const { at, identity, mark } = row
  return {
    at,
    identity,
    mark,
    snapshot: parseSnapshot(row.snapshot),
    prunedBelow: Number(row.pruned_below),
    targetMark: row.target_mark ?? undefined,
  }
}

/** Runs `work`. If `readEpoch` refused the log in it, begins the log and runs `work` again. */
export const withBegunLog = async <T>(db: Db, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AnotherHistory)) throw error
    await sql`select begin_changes(interval '0')`.execute(db)
    return work()
  }
}

/** RFC 3339 to seconds since 1970. */
export const toSeconds = (instant: string): number => Math.floor(Date.parse(instant) / 1000)

/** Reads the window from the database: a principal's may be half a second old. Rejects with unavailable. */
export const readDayAndWindow = async (db: Db, customerId: string, day: string): Promise<DayAndWindow> => {
  const customer = await loadCustomer(db, customerId)
  return { day, window: customer?.value.expiringWithin ?? defaultExpiringWithin }
}

/** Creates a token for all changes that `epoch.snapshot` does not show. */
export const beginToken = (
  { snapshot, at, identity, mark }: Epoch,
  { resources, bindings, view }: Pick<SyncToken, 'resources' | 'view'> & { bindings: DayAndWindow },
): SyncToken => ({
  identity,
  issuedAt: toSeconds(at),
  resources,
  base: snapshot,
  baseAt: at,
  mark,
  view,
  moment: bindings,
})

/** Whether the token is not older than the log. */
export const isKept = ({ issuedAt }: SyncToken, nowSeconds: number): boolean =>
  nowSeconds - issuedAt <= retentionDays * daySeconds

/** Throws 410 if the log cannot list the changes since the token. */
export const requireFollowable = (token: SyncToken, epoch: Epoch, nowSeconds: number): void => {
  if (token.identity !== epoch.identity) {
    throw expireToken('The database has been restored, moved or failed over since')
  }
  if (!isKept(token, nowSeconds)) {
    throw expireToken(`This token is older than ${retentionDays} days`)
  }
  const seen = [token.base, getTarget(token)]
  if (!seen.every((snapshot) => includesSnapshot(epoch.snapshot, snapshot))) {
    throw expireToken('The database has gone back to a time before this token')
  }
  // Restored files use lost ids again, but lack the marks written since their copy.
  // See docs/decisions/0073-random-marks-distinguish-histories.md.
  if (token.mark !== epoch.targetMark) {
    throw expireToken('The database has been restored since')
  }
  if (token.base.xmin < epoch.prunedBelow) {
    throw expireToken('Changes since this token are no longer kept')
  }
}
