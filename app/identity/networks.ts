import { createAddressRanges, parseAddress, plainAddress } from '../http/client-address.ts'

export const maxNetworks = 100

const bitsOf = { ipv4: 32, ipv6: 128 } as const
/** IPv4 in IPv6 is `::ffff:0:0/96` (RFC 4291, section 2.5.5.2). */
const mappedBits = 96

const toBits = (address: string): string => {
  const parts = parseAddress(address) ?? []
  const [radix, width] = parts.length === 4 ? [10, 8] : [16, 16]
  return parts.map((part) => Number.parseInt(part, radix).toString(2).padStart(width, '0')).join('')
}

/**
 * Returns a network in canonical form: `203.0.113.0/24`. A single address gets the longest prefix. IPv4 in IPv6
 * becomes IPv4. Throws with the reason for other text, or if bits after the prefix are set.
 */
export const parseNetwork = (text: string): string => {
  const toError = (reason: string) => new Error(`${JSON.stringify(text.slice(0, 100))}: ${reason}`)
  const [, given = '', digits] = /^([0-9a-f.:]+)(?:\/(0|[1-9]\d{0,2}))?$/i.exec(text) ?? []
  const plain = plainAddress(given)
  if (!plain) throw toError('expected a network such as 203.0.113.0/24 or 2001:db8::/32')
  const bits = bitsOf[plain.family]
  const isMapped = plain.family === 'ipv4' && given.includes(':')
  const prefix = digits === undefined ? bits : Number(digits) - (isMapped ? mappedBits : 0)
  if (prefix < 0 || prefix > bits)
    throw toError(`a prefix of ${plain.family === 'ipv4' ? 'IPv4' : 'IPv6'} has 0 to ${bits} bits`)
  if (toBits(plain.address).includes('1', prefix)) {
    throw toError(
      `the address has bits after its prefix. Give the network itself, or one address with /${bits}`,
    )
  }
  return `${plain.address}/${prefix}`
}

/** `networks`: from `parseNetwork`. The returned function is false for text that is not an address. */
export const createNetworkCheck = (networks: readonly string[]): ((address: string) => boolean) => {
  const isV6 = (network: string) => network.includes(':')
  const checks = {
    ipv4: createAddressRanges(networks.filter((each) => !isV6(each))),
    ipv6: createAddressRanges(networks.filter(isV6)),
  }
  return (address) => {
    const plain = plainAddress(address)
    return plain !== undefined && checks[plain.family](plain.address)
  }
}
