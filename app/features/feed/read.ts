import type { QueuedDb } from '../../db/connect.ts'
import type { Db } from '../../db/schema.ts'
import { toUnavailable } from '../../db/unreachable.ts'
import { defaultExpiringWithin } from '../../identity/principal.ts'
import type { ResourceName } from '../../records/resources/define.ts'
import { resources } from '../../records/resources/index.ts'
import { spansAhead, spansBetween } from './diff.ts'
import type { Seen } from './differences.ts'
import {
  beginToken,
  type EpochRow,
  epochStatement,
  readDayAndWindow,
  readEpoch,
  requireFollowable,
  toSeconds,
  withBegunLog,
} from './epoch.ts'
import { flipStatement, nextFlip } from './flips.ts'
import {
  everyRecord,
  getLogStatement,
  getProbeStatement,
  type LogRow,
  type ProbeRow,
  toBounds,
} from './log.ts'
import { type DayAndWindow, expireToken, getTarget, type SyncToken, type View } from './token.ts'
import { planView } from './view.ts'

export type FeedRead = Readonly<{
  customerId: string
  token: SyncToken | undefined
  resources: readonly ResourceName[]
  /** Of the computed values, YYYY-MM-DD. The window is read from the database. */
  day: string
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
/** With more log rows since the token, even of other resources, the probe leaves the answer to the large statement. */
const probedRows = 1000
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

type BoundRead = FeedRead & Readonly<{ token: SyncToken; bindings: DayAndWindow }>

const growByFlips = async (
  db: Db,
  { customerId, withFormer }: BoundRead,
  page: Growing,
  { walk, cause, limit }: NonNullable<ReturnType<typeof nextFlip>> & { limit: number },
): Promise<void> => {
  const { resources, moment: from, view, baseMoment = from } = page.token
  const target = getTarget(page.token)
  // An unfinished walk keeps its day and window. If they have changed since, another walk follows.
  const statement = flipStatement({
    customerId,
    resources,
    from,
    walk,
    cause,
    limit,
    target,
    withFormer,
    view,
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

const growByLog = async (db: QueuedDb, read: BoundRead, page: Growing, limit: number): Promise<void> => {
  const { customerId, bindings, withFormer } = read
  const { token } = page
  const rows = 4 * limit + spareRows
  const statement = getLogStatement({
    customerId,
    bindings,
    limit,
    rows,
    withFormer,
    view: token.view,
    seen: seenBy(token),
    resources: token.resources,
    ...toBounds(spansAhead(token)),
    after: token.diff,
    target: getTarget(token),
  })
  const found = (await db.readRows(statement)) as readonly LogRow[]
  const first = found[0] as LogRow
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
        ...token,
        mark,
        diff: { target, targetAt, xid: Number(first.last_xid), position: Number(first.last_position) },
      }
    : { ...token, base: target, baseAt: targetAt, baseMoment: undefined, diff: undefined, mark }
  // After a walk to an older target, another one reads the changes since.
  page.hasMore = first.more === true || token.diff !== undefined
}

const endPage = (page: Growing): FeedPage => ({
  changes: [...page.changes.values()],
  token: { ...page.token, issuedAt: toSeconds(page.at), reported: undefined },
  hasMore: page.hasMore,
  at: page.at,
})

type Probed = Readonly<{ bindings: DayAndWindow; page: FeedPage | undefined }>

/** Reads the window, and whether the log has changes since the token. `page` is the page if it has none. */
const probe = async (
  db: QueuedDb,
  { customerId, day, token }: FeedRead & { token: SyncToken },
): Promise<Probed> => {
  const statement = getProbeStatement({
    customerId,
    resources: token.resources,
    ...toBounds(spansBetween(token.base, undefined)),
    target: token.base,
    rows: probedRows,
  })
  const [row] = (await db.readRows(statement).catch((cause: unknown) => {
    throw toUnavailable(cause)
  })) as readonly [ProbeRow]
  const bindings = { day, window: row.expiring_within ?? defaultExpiringWithin }
  const page: Growing = { changes: new Map(), token, at: '', hasMore: false }
  const { snapshot: base, at: baseAt, mark } = check(page, row)
  for (const name of token.resources) planView(token.view, resources[name], customerId, bindings)
  if (!row.is_empty || nextFlip(token, bindings)) return { bindings, page: undefined }
  page.token = { ...token, base, baseAt, baseMoment: undefined, mark }
  return { bindings, page: endPage(page) }
}

const readOn = async (db: QueuedDb, read: FeedRead & { token: SyncToken }): Promise<FeedPage> => {
  const { token, customerId, day, limit } = read
  const probed =
    token.diff || token.flip
      ? { bindings: await readDayAndWindow(db, customerId, day), page: undefined }
      : await probe(db, read)
  if (probed.page) return probed.page
  const bound = { ...read, bindings: probed.bindings }
  const page: Growing = { changes: new Map(), token, at: '', hasMore: true }
  for (let statements = 0; page.hasMore && statements < mostStatements; statements++) {
    const room = limit - page.changes.size
    if (room <= 0) break
    const flip = nextFlip(page.token, bound.bindings)
    if (flip) await growByFlips(db, bound, page, { ...flip, limit: room })
    else await growByLog(db, bound, page, room)
  }
  return endPage(page)
}

/** Returns an empty page with a token for the changes from now on. Rejects like `readChanges`. */
export const beginFollowing = (
  db: Db,
  { customerId, day, resources: names, view }: Omit<FeedRead, 'token' | 'limit' | 'withFormer'>,
): Promise<FeedPage> =>
  withBegunLog(db, async () => {
    const bindings = await readDayAndWindow(db, customerId, day)
    const epoch = readEpoch((await epochStatement.execute(db)).rows[0] as EpochRow)
    const token = beginToken(epoch, { resources: names, bindings, view })
    return { changes: [], token, hasMore: false, at: epoch.at }
  })

/** A page may be empty and have more. Rejects with sync_token_expired, unavailable or the driver's errors. */
export const readChanges = (db: QueuedDb, read: FeedRead): Promise<FeedPage> => {
  const { token } = read
  return token ? withBegunLog(db, () => readOn(db, { ...read, token })) : beginFollowing(db, read)
}
