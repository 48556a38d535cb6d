/** See PostgreSQL, "pg_snapshot components". 2^53 numbers last 285 years at a million transactions a second. */
export type Snapshot = Readonly<{
  xmin: number
  xmax: number
  /** Running transactions between the two, ascending. */
  xip: readonly number[]
  text: string
  /** Of a standby, whose data may show transactions from `xmax` up to this number, exclusive. */
  ceiling?: number
}>

const form = /^(\d+):(\d+):((?:\d+(?:,\d+)*)?)$/

const parseNumber = (digits: string): number => {
  const number = Number(digits)
  if (!Number.isSafeInteger(number)) throw new RangeError(`transaction number ${digits} is beyond 2^53`)
  return number
}

/** Parses a snapshot, or throws. A standby (`recovering`) lists no running transactions: `xmax` is `xmin`. */
export const parseSnapshot = (text: string, recovering = false): Snapshot => {
  const [, low, high, list] = form.exec(text) ?? []
  if (low === undefined || high === undefined || list === undefined) {
    throw new TypeError(`no snapshot: ${text}`)
  }
  const xmin = parseNumber(low)
  if (recovering) return { xmin, xmax: xmin, xip: [], text: `${xmin}:${xmin}:`, ceiling: parseNumber(high) }
  // PostgreSQL lists them in ascending order, and accepts no other.
  const xip = list === '' ? [] : list.split(',').map(parseNumber)
  return { xmin, xmax: parseNumber(high), xip, text }
}

/** Whether the snapshot shows a transaction, if it committed. */
export const isVisible = (xid: number, { xmin, xmax, xip }: Snapshot): boolean =>
  xid < xmin || (xid < xmax && !xip.includes(xid))

/** Whether `snapshot` shows every transaction that `older` shows. Snapshots of one primary are totally ordered. */
export const includesSnapshot = (snapshot: Snapshot, older: Snapshot): boolean =>
  snapshot === older ||
  snapshot.text === older.text ||
  (snapshot.xmax >= older.xmax && snapshot.xip.every((xid) => xid >= older.xmax || older.xip.includes(xid)))

/** Whether a standby's data may show more than `known`. See docs/decisions/0031-standby-answers-wait-for-a-poll.md. */
export const mayExceed = ({ ceiling }: Snapshot, known: Snapshot | undefined): boolean =>
  ceiling !== undefined && (!known || known.xmax < ceiling || known.xip.some((xid) => xid < ceiling))

const rankWidth = 20
const mostRunning = 99_999

/** Returns a text of 25 digits. Texts of one primary's snapshots sort by time. */
export const rankSnapshot = ({ xmax, xip }: Snapshot): string =>
  String(xmax).padStart(rankWidth, '0') +
  String(mostRunning - Math.min(xip.length, mostRunning)).padStart(5, '0')

/** `server`: when PostgreSQL started, because it may reuse transaction numbers after a crash. */
export const formatEpoch = (identity: string, server: string): string => `${identity} ${server}`

/** Whether the epoch has this start of the server. */
export const isFromServer = (epoch: string, server: string): boolean => epoch.endsWith(` ${server}`)

/** Whether the epoch has this identity of the database. */
export const isOfDatabase = (epoch: string, identity: string): boolean => epoch.startsWith(`${identity} `)
