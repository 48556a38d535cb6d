import { plainAddress } from '../http/client-address.ts'

const splitGroups = (half: string) => (half === '' ? [] : half.split(':'))

/** Returns the 4 numbers of an IPv4 address (also of `::ffff:192.0.2.1`), the 8 hex groups of IPv6, or `undefined`. */
export const parseAddress = (text: string): string[] | undefined => {
  const plain = plainAddress(text)
  if (plain?.family !== 'ipv6') return plain?.address.split('.')
  // URL writes all groups in hex. plainAddress does not: `::192.0.2.1`.
  const { hostname } = new URL(`http://[${plain.address}]`)
  const [before = [], after = []] = hostname.slice(1, -1).split('::').map(splitGroups)
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
}

/** `undefined` if it is not an address. See docs/decisions/0016-client-addresses-are-cut.md. */
export const truncateAddress = (address: string): string | undefined => {
  const parts = parseAddress(address)
  if (!parts) return undefined
  const network = parts.slice(0, 3)
  return parts.length === 4 ? `${network.join('.')}.0/24` : `${network.join(':')}::/48`
}
