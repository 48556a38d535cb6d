import { includesSnapshot, type Snapshot } from './snapshot.ts'

/** The snapshots of the first and the last poll that showed the mark as the newest. */
type Shown = { first: Snapshot; last: Snapshot }

/** One mark a minute for a day, 0.4 kB each. */
const defaultMost = 1_440

/**
 * Remembers the marks that polls of one epoch have shown, oldest first.
 * See docs/decisions/0195-the-fence-answers-empty-polls.md.
 */
export const createMarks = (most = defaultMost) => {
  const shown = new Map<string, Shown>()
  let newest: string | undefined

  return {
    /** `mark`: the newest that `snapshot` shows. */
    note(mark: string, snapshot: Snapshot): void {
      const known = shown.get(mark)
      if (known) known.last = snapshot
      else shown.set(mark, { first: snapshot, last: snapshot })
      newest = mark
      if (shown.size > most) shown.delete(shown.keys().next().value as string)
    },
    clear(): void {
      shown.clear()
      newest = undefined
    },
    /**
     * Whether polls prove that `mark` is the newest that `snapshot` shows, in the history that they read. False
     * for a snapshot that is newer than the last poll.
     */
    isNewestIn(mark: string, snapshot: Snapshot): boolean {
      const known = shown.get(mark)
      if (!known || !includesSnapshot(known.last, snapshot)) return false
      return mark === newest || includesSnapshot(snapshot, known.first)
    },
  }
}
