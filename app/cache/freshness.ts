import type { Entry } from './entry.ts'

/**
 * What decides whether a stored answer may be served. One implementation for now: age. The snapshot fence
 * will stand in its place; nothing else in the cache knows how freshness is decided.
 */
export type Freshness = {
  /** When an answer whose query is sent at `startedAt` (monotonic ms) goes stale. */
  staleAt(startedAt: number): number
  isFresh(entry: Entry): boolean
}

/**
 * Bounds the age of every answer, counted from before its query was sent: whatever committed `ttlMs`
 * before a request arrived, its answer shows. `now`: monotonic milliseconds.
 */
export const createAgeLimit = (ttlMs: number, now: () => number): Freshness => ({
  staleAt: (startedAt) => startedAt + ttlMs,
  isFresh: (entry) => now() < entry.staleAt,
})
