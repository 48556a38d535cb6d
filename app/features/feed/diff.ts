import { isVisible, type Snapshot } from '../../cache/snapshot.ts'
import type { DiffWalk } from './token.ts'

/** Transaction ids from `low` to `high`, both inclusive. No upper bound if `high` is `undefined`. */
export type Span = Readonly<{ low: number; high: number | undefined }>

/** The parts of [low, end) that are not in `without`, which is ascending. */
const gaps = (low: number, end: number, without: readonly number[]): Span[] => {
  const spans: Span[] = []
  let from = low
  for (const xid of without) {
    if (xid < from || xid >= end) continue
    if (xid > from) spans.push({ low: from, high: xid - 1 })
    from = xid + 1
  }
  if (from < end) spans.push({ low: from, high: end - 1 })
  return spans
}

/** The transactions that `target` shows and `base` does not, ascending. Without a target, the last span is open. */
export const spansBetween = (base: Snapshot, target: Snapshot | undefined): Span[] => {
  if (!target) {
    return [...base.xip.map((xid) => ({ low: xid, high: xid })), { low: base.xmax, high: undefined }]
  }
  // Each of these is a separate span, because `base` may show many transactions between them.
  const ended = base.xip.filter((xid) => isVisible(xid, target))
  return [
    ...ended.map((xid) => ({ low: xid, high: xid })),
    ...gaps(
      base.xmax,
      target.xmax,
      target.xip.filter((xid) => xid >= base.xmax),
    ),
  ]
}

type Walk = { base: Snapshot; diff?: Pick<DiffWalk, 'target' | 'xid'> | undefined }

/** The spans that the walk has still to read. */
export const spansAhead = ({ base, diff }: Walk): Span[] =>
  spansBetween(base, diff?.target).filter(({ high }) => !diff || high === undefined || high >= diff.xid)
