/** A period of insufficient availability. Minutes since 1970, end excluded. */
export type Incident = Readonly<{
  from: number
  until: number | null
  /** `unreported`: none of the bad minutes has a report, so that nothing is known about the service. */
  kind: 'failing' | 'unreported'
  availability: number
}>

/** Two failed probes of six, or failures in more than a fifth of the answers, make a minute bad. */
const badBelow = 0.8
const joinedMinutes = 3

/** Returns the incidents, oldest first. `levels`: each minute's availability (0 to 1) from minute `from` on. */
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
