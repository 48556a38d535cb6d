import { isVisible, type Snapshot } from '../cache/snapshot.ts'
import type { SyncToken } from './token.ts'

/** Transactions from `low` to `high`, both included; `high` undefined: all that follow. */
export type Span = Readonly<{ low: number; high: number | undefined }>

/** Those of [low, end) that are not in `without` (ascending). */
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

/**
 * The transactions that became visible between two snapshots: those that `base` saw running or not yet begun
 * and that `target` no longer does, ascending. Without a target it is the snapshot of the statement that reads,
 * which shows no rows of others anyway. Nothing below the oldest running transaction is looked at twice: a long
 * one is a span of its own, whatever came after it.
 */
export const spansBetween = (base: Snapshot, target: Snapshot | undefined): Span[] => {
  if (!target) {
    return [...base.xip.map((xid) => ({ low: xid, high: xid })), { low: base.xmax, high: undefined }]
  }
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

/** The spans that a walk has still before it. */
export const spansAhead = ({ base, diff }: Pick<SyncToken, 'base' | 'diff'>): Span[] =>
  spansBetween(base, diff?.target).filter(({ high }) => !diff || high === undefined || high >= diff.xid)
