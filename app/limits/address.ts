import { LRUCache } from 'lru-cache'
import { inTurn, type QueuedDb } from '../db/connect.ts'
import { parseAddress } from '../http/client-address.ts'
import type { Principal } from '../identity/principal.ts'
import type { Turn } from '../overload/queue.ts'
import type { AccountName } from './store.ts'

/** A proxy's header may have any text instead of an address. */
const maxLength = 64

/** Parsing an address costs as much as the rest of a cached response. */
const known = new LRUCache<string, string>({
  max: 1_000,
  maxSize: 100_000,
  sizeCalculation: (_client, address) => address.length + 1,
})

/** Returns an IPv4 address, the /64 of an IPv6 address (one host, RFC 6177), or the start of other text. */
export const toClientNetwork = (address: string): string => {
  let client = known.get(address)
  if (client === undefined) {
    client = toClient(address)
    known.set(address, client)
  }
  return client
}

/** Returns the queue owner of a client without a login. The site of an IPv6 address is its /48. */
export const toQueueOwner = (address: string): { network: string; site: string } => {
  const network = toClientNetwork(address)
  return { network, site: network.split(':').slice(0, 3).join(':') }
}

/** Returns a function that queues work on `db` by the client's network. */
export const createTurn =
  (db: QueuedDb, address: string): Turn =>
  (work) =>
    inTurn(db, toQueueOwner(address), work)

const toClient = (address: string): string => {
  const plain = address.slice(0, maxLength)
  const parts = parseAddress(plain)
  if (!parts) return plain
  return parts.length === 4 ? parts.join('.') : `${parts.slice(0, 4).join(':')}::/64`
}

/** The customer pays, or the client's network for the demo token. */
export const toAccountName = ({ kind, customerId }: Principal, address: string): AccountName => ({
  tag: customerId,
  name: kind === 'demo' ? toClientNetwork(address) : '',
})
