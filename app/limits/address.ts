import { LRUCache } from 'lru-cache'
import { parseAddress } from '../audit/client-address.ts'
import { inTurn } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import type { Principal } from '../identity/principal.ts'
import type { Turn } from '../overload/queue.ts'
import type { AccountName } from './policy.ts'

/** Bounds what a proxy's header may make us remember. */
const maxLength = 64

/** Addresses come again and again, and looking into one costs as much as the rest of an answer from memory. */
const known = new LRUCache<string, string>({
  max: 1_000,
  maxSize: 100_000,
  sizeCalculation: (_, address) => address.length + 1,
})

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

/**
 * Returns the owner in the queue for work of a client that has not logged in: its network as `clientOf` returns it, and
 * the first 48 bits of an IPv6 address around it, because one site is given that many networks (RFC 6177).
 */
export const toQueueOwner = (address: string): { network: string; site: string } => {
  const network = clientOf(address)
  return { network, site: network.split(':').slice(0, 3).join(':') }
}

/** Runs work on connections of `db` in turns of a client's network. Rejects as `inTurn` does. */
export const createTurn =
  (db: Db, address: string): Turn =>
  (work) =>
    inTurn(db, toQueueOwner(address), work)

const toClient = (address: string): string => {
  const plain = address.slice(0, maxLength)
  const parts = parseAddress(plain)
  if (!parts) return plain
  return parts.length === 4 ? parts.join('.') : `${parts.slice(0, 4).join(':')}::/64`
}

/** Who is counted for a principal: the customer; a demo token is one customer's and many people's. */
export const accountOf = ({ kind, customerId }: Principal, address: string): AccountName => ({
  tag: customerId,
  name: kind === 'demo' ? clientOf(address) : '',
})
