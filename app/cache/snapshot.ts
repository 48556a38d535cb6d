/**
 * A snapshot of PostgreSQL (its manual, "pg_snapshot components"): which transactions' changes a statement saw.
 * Transaction numbers are 64 bits wide; below 2^53 they are exact as numbers, which lasts 285 years at a
 * million transactions a second.
 */
export type Snapshot = Readonly<{
  /** Every transaction below had ended. */
  xmin: number
  /** No transaction from here on had ended. */
  xmax: number
  /** Those between the two that were running, ascending. */
  xip: readonly number[]
  /** As PostgreSQL writes it; the same text is the same snapshot. */
  text: string
  /** Of a standby's: it may have shown more than it is taken for, but nothing from here on. */
  ceiling?: number
}>

const form = /^(\d+):(\d+):((?:\d+(?:,\d+)*)?)$/

const parseNumber = (digits: string): number => {
  const number = Number(digits)
  if (!Number.isSafeInteger(number)) throw new RangeError(`transaction number ${digits} is beyond 2^53`)
  return number
}

/**
 * Reads `pg_current_snapshot()::text`. Throws on anything else, and on numbers from 2^53.
 * `recovering`: taken on a standby. There the list of running transactions is always empty, whatever was
 * running, so that only what lies below xmin is known to have ended.
 */
export const parseSnapshot = (text: string, recovering = false): Snapshot => {
  const [, low, high, list] = form.exec(text) ?? []
  if (low === undefined || high === undefined || list === undefined) {
    throw new TypeError(`no snapshot: ${text}`)
  }
  const xmin = parseNumber(low)
  if (recovering) return { xmin, xmax: xmin, xip: [], text: `${xmin}:${xmin}:`, ceiling: parseNumber(high) }
  const xip = list === '' ? [] : list.split(',').map(parseNumber)
  return { xmin, xmax: parseNumber(high), xip: xip.sort((a, b) => a - b), text }
}

/** Whether a transaction that committed is in what the snapshot shows. */
export const isVisible = (xid: number, { xmin, xmax, xip }: Snapshot): boolean =>
  xid < xmin || (xid < xmax && !xip.includes(xid))

/**
 * Whether the snapshot shows everything that `older` shows. Snapshots of one primary are in one line: of two,
 * the later taken always does.
 */
export const includesSnapshot = (snapshot: Snapshot, older: Snapshot): boolean =>
  snapshot === older ||
  snapshot.text === older.text ||
  (snapshot.xmax >= older.xmax && snapshot.xip.every((xid) => xid >= older.xmax || older.xip.includes(xid)))

/**
 * Whether one of a standby's may have shown what `known`, a primary's, does not.
 * See docs/decisions/0031-standby-answers-wait-for-a-poll.md.
 */
export const mayExceed = ({ ceiling }: Snapshot, known: Snapshot | undefined): boolean =>
  ceiling !== undefined && (!known || known.xmax < ceiling || known.xip.some((xid) => xid < ceiling))

/** Digits of the greatest transaction number. */
const rankWidth = 20
const mostRunning = 99_999

/**
 * A text that sorts as snapshots of one primary were taken: greater xmax, then fewer running. For stores that
 * compare texts exactly and numbers as doubles.
 */
export const rankSnapshot = ({ xmax, xip }: Snapshot): string =>
  String(xmax).padStart(rankWidth, '0') +
  String(mostRunning - Math.min(xip.length, mostRunning)).padStart(5, '0')
