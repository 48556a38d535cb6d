/** A period of insufficient availability. Minutes since 1970, end excluded. */
export type Incident = Readonly<{
  from: number
  until: number | null
  /** `unreported`: no instance reported. Whether requests were answered is unknown, and counts as down. */
  kind: 'failing' | 'unreported'
  availability: number
}>

/** Reached if two of six probes fail, or a fifth of the answers are faults. */
const badBelow = 0.8
const joinedMinutes = 3

/**
 * Returns the incidents, oldest first. `from`: minutes since 1970. `levels`: availability of each minute from
 * there, 0 to 1; `undefined` if no instance reported.
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
