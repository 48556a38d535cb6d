import { isIPv4, isIPv6 } from 'node:net'

const split = (part: string) => (part === '' ? [] : part.split(':'))

/** Returns the 4 numbers of an IPv4 address (also of `::ffff:192.0.2.1`), the 8 groups of IPv6, or `undefined`. */
export const parseAddress = (address: string): string[] | undefined => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%', 1)[0] as string
  if (isIPv4(plain)) return plain.split('.')
  if (!isIPv6(plain)) return undefined
  const [left = '', right = ''] = plain
    .toLowerCase()
    .replace(/[\d.]+\.\d+$/, '0:0')
    .split('::')
  const [before, after] = [split(left), split(right)]
  const zeros = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after].map((group) => group.replace(/^0+(?=.)/, ''))
}

/** `undefined` if it is not an address. See docs/decisions/0016-client-addresses-are-cut.md. */
export const truncateAddress = (address: string): string | undefined => {
  const parts = parseAddress(address)
  if (!parts) return undefined
  const network = parts.slice(0, 3)
  return parts.length === 4 ? `${network.join('.')}.0/24` : `${network.join(':')}::/48`
}
