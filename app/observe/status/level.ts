import { type Minute, slotsPerMinute } from './minutes.ts'

const countBits = (bits: number): number => {
  let count = 0
  for (let rest = bits; rest > 0; rest &= rest - 1) count++
  return count
}

/**
 * Returns the availability of a minute, 0 to 1, as the smaller of two shares. The first is the share of slots
 * with a successful probe; it covers minutes without traffic. The second is the share of answers that are not
 * faults of the service. It includes the probes, so that one failure among three requests does not count as a
 * third of a minute. See docs/decisions/0041-availability-is-the-worse-of-two.md.
 */
export const levelOf = ({
  slots,
  requests,
  failed,
}: Pick<Minute, 'slots' | 'requests' | 'failed'>): number => {
  const up = countBits(slots & 0b111111)
  const good = requests - failed + up
  return Math.min(up / slotsPerMinute, good / (requests + slotsPerMinute))
}
