import { isIPv6 } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../identity/principal.ts'
import type { AccountName } from './policy.ts'

/** Bounds what a proxy's header may make us remember. */
const maxLength = 64

/** Addresses come again and again, and looking into one costs as much as the rest of an answer from memory. */
const known = new LRUCache<string, string>({
  max: 1_000,
  maxSize: 100_000,
  sizeCalculation: (_, address) => address.length + 1,
})

const groupsOf = (part: string): string[] => (part === '' ? [] : part.split(':'))

/**
 * What counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, because one host is
 * given that many addresses (RFC 6177). IPv4 in IPv6 (`::ffff:192.0.2.1`) is that IPv4 address.
 */
export const clientOf = (address: string): string => {
  let client = known.get(address)
  if (client === undefined) {
    client = toClient(address)
    known.set(address, client)
  }
  return client
}

const toClient = (address: string): string => {
  const plain = address.slice(0, maxLength).split('%')[0] as string
  if (!isIPv6(plain)) return plain
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1]
  if (mapped !== undefined) return mapped
  const [head = '', tail] = plain.toLowerCase().split('::')
  const before = groupsOf(head)
  const after = tail === undefined ? [] : groupsOf(tail.replace(/(?:\d{1,3}\.){3}\d{1,3}$/, '0:0'))
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const network = [...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}

/** Who is counted for a principal: the customer; a demo token is one customer's and many people's. */
export const accountOf = ({ kind, customerId }: Principal, address: string): AccountName => ({
  tag: customerId,
  name: kind === 'demo' ? clientOf(address) : '',
})
