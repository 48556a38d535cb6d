import { isIPv4, isIPv6 } from 'node:net'

const ipv4Octets = 3
const ipv6Groups = 3

/** `::` stands for as many zero groups as are missing (RFC 4291, section 2.2). */
const expand = (address: string): string[] => {
  const [left = '', right] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  if (right === undefined) return groups(left)
  const given = [...groups(left), ...groups(right)]
  return [...groups(left), ...Array<string>(Math.max(0, 8 - given.length)).fill('0'), ...groups(right)]
}

/**
 * Cuts a client's address to its network, so that it points at no single person: IPv4 to /24, IPv6 to /48 (one site).
 * IPv4 in IPv6 counts as IPv4. Undefined for anything else. Why not a hash: see the decision "client addresses are cut".
 */
export const truncateAddress = (address: string): string | undefined => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%', 1)[0] as string
  if (isIPv4(plain)) return `${plain.split('.').slice(0, ipv4Octets).join('.')}.0/24`
  if (!isIPv6(plain)) return undefined
  const site = expand(plain)
    .slice(0, ipv6Groups)
    .map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
  return `${site.join(':')}::/48`
}
