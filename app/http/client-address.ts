import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net'

/** Addresses of the machine itself. */
export const loopback = ['127.0.0.0/8', '::1'] as const

/** Returns a function that checks whether an address is in a range. `ranges`: addresses or CIDR. */
export const createAddressRanges = (ranges: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList()
  for (const each of ranges) {
    const [address = '', prefix] = each.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

type PlainAddress = Readonly<{ address: string; family: 'ipv4' | 'ipv6' }>

/** Returns the canonical form without zone; ::ffff:192.0.2.1 is 192.0.2.1. `undefined` if the text is no address. */
export const plainAddress = (text: string): PlainAddress | undefined => {
  const [given = ''] = text.split('%', 1)
  if (isIP(given) === 0) return undefined
  if (!isIPv6(given)) return { address: given, family: 'ipv4' }
  const { address } = new SocketAddress({ address: given, family: 'ipv6' })
  const mapped = address.replace(/^::ffff:(?=\d+\.)/, '')
  return { address: mapped, family: isIPv6(mapped) ? 'ipv6' : 'ipv4' }
}

export type Received = Readonly<{
  socket: Readonly<{ remoteAddress?: string | undefined }>
  headers: IncomingHttpHeaders
}>

type ClientAddressOptions = {
  isProxy: (address: string) => boolean
  header: string | undefined
  /** Called for a malformed header, as often as clients send one. */
  onUnreadable?: (value: string) => void
}

/** Splits outside quoted strings (RFC 9110, section 5.6.4), last part first. */
const splitFromRight = (text: string, separator: string): string[] => {
  const parts: string[] = []
  let end = text.length
  let isQuoted = false
  for (let at = end - 1; at >= 0; at--) {
    if (text[at] === '"') {
      let slash = at
      while (text[slash - 1] === '\\') slash -= 1
      if ((at - slash) % 2 === 0) isQuoted = !isQuoted
    } else if (text[at] === separator && !isQuoted) {
      parts.push(text.slice(at + 1, end))
      end = at
    }
  }
  return [...parts, text.slice(0, end)]
}

/** `2001:db8::1`, or `192.0.2.1` or `[2001:db8::1]` with an optional port, which may be an obfuscated name. */
const node = /^(?:\[([\da-f:.]+)\](?::[\w.-]+)?|([\d.]+)(?::[\w.-]+)?|([\da-f:.]+))$/i

/** Parses a node with an optional port (RFC 7239, section 6) to a canonical address. `undefined` for other text. */
export const parseForwardedAddress = (value: string): string | undefined => {
  const [, bracketed, withPort, plain] = node.exec(value.trim().replace(/^"(.*)"$/, '$1')) ?? []
  if (bracketed !== undefined && !isIPv6(bracketed)) return undefined
  return plainAddress(bracketed ?? withPort ?? plain ?? '')?.address
}

const readFor = (element: string): string => {
  const values = splitFromRight(element, ';').flatMap((pair) => /^\s*for=(.*)$/i.exec(pair)?.[1] ?? [])
  return values.length === 1 ? (values[0] as string) : ''
}

const readHeader = (value: string | string[] | undefined): string =>
  (Array.isArray(value) ? value.join() : value) ?? ''

/**
 * Returns a function that finds the client's address: the peer's, or if that is a proxy, the last one in the
 * header that is no proxy's, or the first. At a malformed value, the proxy's that sent it. `''` if no peer.
 */
export const createClientAddress = ({
  isProxy,
  header = 'x-forwarded-for',
  onUnreadable,
}: ClientAddressOptions) => {
  const isList = header === 'x-forwarded-for' || header === 'forwarded'
  const read = header === 'forwarded' ? readFor : (value: string) => value
  return ({ socket, headers }: Received): string => {
    let address = socket.remoteAddress ?? ''
    const value = readHeader(headers[header])
    if (value === '' || !isProxy(address)) return address
    for (const element of isList ? splitFromRight(value, ',') : [value]) {
      const next = parseForwardedAddress(read(element))
      if (next === undefined) {
        onUnreadable?.(element.trim())
        return address
      }
      address = next
      if (!isProxy(address)) return address
    }
    return address
  }
}

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
