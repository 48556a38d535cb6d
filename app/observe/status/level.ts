import { type Minute, slotsPerMinute } from './minutes.ts'

const countBits = (bits: number): number => {
  let count = 0
  for (let rest = bits; rest > 0; rest &= rest - 1) count++
  return count
}

/**
 * Returns the availability of a minute, 0 to 1: the smaller of the share of slots with a successful probe,
 * and the share of answers, probes included, that are not faults of the service. See
 * docs/decisions/0041-availability-is-the-worse-of-two.md.
 */
export const getLevel = ({
  slots,
  requests,
  failed,
}: Pick<Minute, 'slots' | 'requests' | 'failed'>): number => {
  const up = countBits(slots & 0b111111)
  const good = requests - failed + up
  return Math.min(up / slotsPerMinute, good / (requests + slotsPerMinute))
}
