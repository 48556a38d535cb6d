/** A period of bad availability. Minutes since 1970; `until` is excluded, and null while it continues. */
export type Incident = Readonly<{
  from: number
  until: number | null
  /** `unreported`: none of the bad minutes has a report, so that nothing is known about the service. */
  kind: 'failing' | 'unreported'
  availability: number
}>

/** Two failed probes of six, or failures in more than a fifth of the answers, make a minute bad. */
const badBelow = 0.8
/** Two good minutes between bad ones do not end an incident, three do. */
const joinedMinutes = 3

/** Returns the incidents, oldest first. `levels`: each minute's availability (0 to 1) from minute `from` on. */
export const findIncidents = (from: number, levels: readonly (number | undefined)[]): Incident[] => {
  const groups: { first: number; last: number; isReported: boolean }[] = []
  levels.forEach((level, minute) => {
    if ((level ?? 0) >= badBelow) return
    const isReported = level !== undefined
    const group = groups.at(-1)
    if (group && minute - group.last <= joinedMinutes) {
      group.last = minute
      group.isReported ||= isReported
    } else groups.push({ first: minute, last: minute, isReported })
  })
  return groups.map(({ first, last, isReported }) => {
    const own = levels.slice(first, last + 1)
    return {
      from: from + first,
      until: last === levels.length - 1 ? null : from + last + 1,
      kind: isReported ? 'failing' : 'unreported',
      availability: own.reduce<number>((sum, level) => sum + (level ?? 0), 0) / own.length,
    }
  })
}
