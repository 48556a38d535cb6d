import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net'

/** Returns whether an address is in one of these addresses or CIDR ranges. */
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

/**
 * Returns an address in its canonical form, without a zone. IPv4 in IPv6 (`::ffff:203.0.113.5`, in any spelling) is that
 * IPv4 address. Undefined for what is no address.
 */
export const plainAddress = (text: string): PlainAddress | undefined => {
  const [given = ''] = text.split('%', 1)
  if (isIP(given) === 0) return undefined
  if (!isIPv6(given)) return { address: given, family: 'ipv4' }
  const { address } = new SocketAddress({ address: given, family: 'ipv6' })
  const mapped = address.replace(/^::ffff:(?=\d+\.)/, '')
  return { address: mapped, family: isIPv6(mapped) ? 'ipv6' : 'ipv4' }
}

/** The parts of a request that tell its client. Node's and Fastify's requests both have them. */
export type Received = Readonly<{
  socket: Readonly<{ remoteAddress?: string | undefined }>
  headers: IncomingHttpHeaders
}>

type ClientAddressOptions = {
  isProxy: (address: string) => boolean
  /** The header, in lower case, in which the proxy names the client. Absent: `X-Forwarded-For`. */
  header: string | undefined
}

const textOf = (value: string | string[] | undefined): string =>
  (Array.isArray(value) ? value.join() : value) ?? ''

/**
 * Returns a function that finds the client's address: the peer's, or what a trusted proxy says in its header.
 * A proxy's own header has one address. In `X-Forwarded-For` each proxy appends its peer, so the client is the
 * last address that is not a proxy's. A value that is no address is not believed: then the address is the
 * proxy's that sent it, and `''` where the peer has left.
 */
export const createClientAddress = ({ isProxy, header }: ClientAddressOptions) => {
  return ({ socket, headers }: Received): string => {
    let address = socket.remoteAddress ?? ''
    const said = textOf(headers[header ?? 'x-forwarded-for']).split(',')
    if (header !== undefined && said.length > 1) return address
    while (said.length > 0 && isProxy(address)) {
      const next = (said.pop() as string).trim()
      if (isIP(next) === 0) break
      address = next
    }
    return address
  }
}
