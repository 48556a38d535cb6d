import type { Db } from '../db/schema.ts'
import type { ResourceName } from '../records/resources/define.ts'
import { spansAhead } from './diff.ts'
import type { Seen } from './differences.ts'
import {
  beginToken,
  type EpochRow,
  epochStatement,
  readEpoch,
  requireFollowable,
  toSeconds,
  withBegunLog,
} from './epoch.ts'
import { flipStatement, nextFlip } from './flips.ts'
import { everyRecord, logStatement } from './log.ts'
import { type DayAndWindow, expireToken, getTarget, type SyncToken } from './token.ts'
import type { View } from './view.ts'

export type FeedRead = Readonly<{
  customerId: string
  token: SyncToken | undefined
  resources: readonly ResourceName[]
  bindings: DayAndWindow
  limit: number
  /** Used only without a token, like `resources`: a token contains both. */
  view?: View | undefined
  withFormer?: boolean | undefined
}>

export type FeedPage = Readonly<{
  changes: readonly string[]
  token: SyncToken
  hasMore: boolean
  /** The database's clock at the last statement, RFC 3339. */
  at: string
}>

/** A statement scans at most this many log rows, and four more for each record that may join the page. */
const spareRows = 1000
/** A page may need several: one statement may find only changes of other resources. */
const mostStatements = 20

/** A page in progress. `changes` has the last change of each record, by resource and id. */
type Growing = { changes: Map<string, string>; token: SyncToken; at: string; hasMore: boolean }

const add = (page: Growing, resource: string, id: string, change: string): void => {
  const key = `${resource}/${id}`
  page.changes.delete(key)
  page.changes.set(key, change)
}

const check = (page: Growing, row: EpochRow): ReturnType<typeof readEpoch> => {
  const epoch = readEpoch(row)
  requireFollowable(page.token, epoch, toSeconds(epoch.at))
  page.at = epoch.at
  return epoch
}

const seenBy = ({ base, baseAt, moment, baseMoment = moment }: SyncToken): Seen => ({
  snapshot: base,
  at: baseAt,
  moment: baseMoment,
})

const growByFlips = async (
  db: Db,
  { customerId, withFormer }: FeedRead,
  page: Growing,
  { walk, cause }: NonNullable<ReturnType<typeof nextFlip>>,
  limit: number,
): Promise<void> => {
  const { resources, moment: from, view, baseMoment = from } = page.token
  const target = getTarget(page.token)
  // An unfinished walk keeps its day and window. If they have changed since, another walk follows.
  const statement = flipStatement({
    ...{ customerId, resources, from, walk, cause, limit, target, withFormer, view },
    seen: seenBy(page.token),
  })
  const rows = statement ? (await statement.execute(db)).rows : []
  if (rows[0]) check(page, rows[0])
  const found = rows.flatMap(({ resource, record_id: id, change, edge, passed }) =>
    resource === null || id === null || edge === null || passed === null
      ? []
      : [{ resource, id, change, place: [edge, passed, id] as const }],
  )
  for (const { resource, id, change } of found.slice(0, limit)) add(page, resource, id, change)
  const after = found.length > limit ? found[limit - 1]?.place : undefined
  page.token = after
    ? { ...page.token, flip: { to: walk.to, after } }
    : { ...page.token, flip: undefined, moment: walk.to, baseMoment }
}

const growByLog = async (db: Db, read: FeedRead, page: Growing, limit: number): Promise<void> => {
  const { customerId, bindings, withFormer } = read
  const { token } = page
  const rows = 4 * limit + spareRows
  const found = (
    await logStatement({
      ...{ customerId, bindings, limit, rows, withFormer, view: token.view },
      seen: seenBy(token),
      resources: token.resources,
      spans: spansAhead(token),
      after: token.diff,
      target: getTarget(token),
    }).execute(db)
  ).rows
  const first = found[0] as (typeof found)[0]
  const epoch = check(page, first)
  for (const { resource, record_id: id, change } of found) {
    if (resource === null || id === null) continue
    if (id === everyRecord) throw expireToken(`${resource} was truncated, or changed without the change log`)
    add(page, resource, id, change)
  }
  const { target, targetAt, mark } = token.diff
    ? { ...token.diff, mark: token.mark }
    : { target: epoch.snapshot, targetAt: epoch.at, mark: epoch.mark }
  page.token = first.more
    ? {
        ...{ ...token, mark },
        diff: { target, targetAt, xid: Number(first.last_xid), position: Number(first.last_position) },
      }
    : { ...token, base: target, baseAt: targetAt, baseMoment: undefined, diff: undefined, mark }
  // After a walk to an older target, another one reads the changes since.
  page.hasMore = first.more === true || token.diff !== undefined
}

const readOn = async (db: Db, read: FeedRead, token: SyncToken): Promise<FeedPage> => {
  const page: Growing = { changes: new Map(), token, at: '', hasMore: true }
  const { bindings, limit } = read
  for (let statements = 0; page.hasMore && statements < mostStatements; statements++) {
    const room = limit - page.changes.size
    if (room <= 0) break
    const flip = nextFlip(page.token, bindings)
    if (flip) await growByFlips(db, read, page, flip, room)
    else await growByLog(db, read, page, room)
  }
  return {
    changes: [...page.changes.values()],
    token: { ...page.token, issuedAt: toSeconds(page.at) },
    hasMore: page.hasMore,
    at: page.at,
  }
}

const begin = async (db: Db, read: FeedRead): Promise<FeedPage> => {
  const epoch = readEpoch((await epochStatement.execute(db)).rows[0] as EpochRow)
  return { changes: [], token: beginToken(epoch, read), hasMore: false, at: epoch.at }
}

/** A page may be empty and have more. Rejects with sync_token_expired, unavailable or the driver's errors. */
export const readChanges = (db: Db, read: FeedRead): Promise<FeedPage> =>
  withBegunLog(db, () => (read.token ? readOn(db, read, read.token) : begin(db, read)))
