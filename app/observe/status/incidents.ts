/** A time in which the service was not available as it should be. Minutes since 1970, the end not included. */
export type Incident = Readonly<{
  from: number
  /** Null: it goes on. */
  until: number | null
  /** `unreported`: no instance said anything; whether anybody was answered is not known, and counts as no. */
  kind: 'failing' | 'unreported'
  /** Of its minutes, 0 to 1. */
  availability: number
}>

/** Two of six probes unanswered, or a fifth of the answers faults. */
const badBelow = 0.8
/** Fewer good minutes between two bad ones are part of the incident. */
const joinedMinutes = 3

/**
 * Returns the incidents among minutes from `from` (minutes since 1970), oldest first. `levels` has the level of
 * each minute in order, 0 to 1; undefined if no instance reported.
 */
export const findIncidents = (from: number, levels: Iterable<number | undefined>): Incident[] => {
  const incidents: Incident[] = []
  let open:
    | { from: number; lastBad: number; sum: number; sumToLastBad: number; reported: boolean }
    | undefined
  let minute = from
  const close = () => {
    if (!open) return
    const until = open.lastBad + 1
    const kind = open.reported ? 'failing' : 'unreported'
    const isOver = minute > until
    const availability = open.sumToLastBad / (until - open.from)
    incidents.push({ from: open.from, until: isOver ? until : null, kind, availability })
    open = undefined
  }
  for (const level of levels) {
    const value = level ?? 0
    if (open && minute - open.lastBad > joinedMinutes) close()
    if (open) open.sum += value
    if (value < badBelow) {
      open ??= { from: minute, lastBad: minute, sum: value, sumToLastBad: value, reported: false }
      open.lastBad = minute
      open.sumToLastBad = open.sum
      if (level !== undefined) open.reported = true
    }
    minute++
  }
  close()
  return incidents
}
