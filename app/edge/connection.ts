import type { Http2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../identity/principal.ts'
import { requirePlan } from '../identity/principals.ts'
import { readBearer } from '../identity/tokens.ts'

/** `bearer`: the token, set once it was accepted. */
type BearerRequest = { headers: { authorization: string }; bearer?: string }

export type EdgeConnection = {
  readonly socket: Socket
  readonly isEncrypted: boolean
  readonly address: string | undefined
  /** Comparing with the previous header is cheaper than hashing it for the LRU. */
  lastBearerRequest: BearerRequest | undefined
}

type FindConnection = (owner: Socket | Http2Session) => EdgeConnection

/** Returns a function that finds or creates the state of a socket (HTTP/1) or session (HTTP/2). */
export const createConnections = (): FindConnection => {
  const known = new WeakMap<Socket | Http2Session, EdgeConnection>()
  return (owner) => {
    const found = known.get(owner)
    if (found) return found
    const socket = 'socket' in owner ? (owner.socket as Socket) : owner
    const isEncrypted = 'encrypted' in owner && owner.encrypted === true
    const made = { socket, isEncrypted, address: socket.remoteAddress, lastBearerRequest: undefined }
    known.set(owner, made)
    return made
  }
}

/** In bytes, about 10,000 usual headers: clients choose the length of a header. */
const askerBounds = {
  maxSize: 7_000_000,
  sizeCalculation: (_: unknown, authorization: string) => authorization.length + 200,
}

/** `undefined` if the router must authenticate the request. */
export type Identify = (
  connection: EdgeConnection,
  authorization: string | undefined,
) => Principal | undefined

/** Identifies senders synchronously and remembers their requests by the whole Authorization header. */
export const createIdentify = (
  authenticate: (asker: BearerRequest) => Principal | Promise<Principal>,
): Identify => {
  const askers = new LRUCache<string, BearerRequest>(askerBounds)

  const getBearerRequest = (connection: EdgeConnection, authorization: string): BearerRequest => {
    const last = connection.lastBearerRequest
    if (last?.headers.authorization === authorization) return last
    const known = askers.get(authorization)
    if (known) connection.lastBearerRequest = known
    return known ?? { headers: { authorization } }
  }
  /** Only with a single space after `Bearer`: otherwise one token has thousands of spellings. */
  const keep = (asker: BearerRequest, authorization: string): void => {
    const bearer = readBearer(authorization)
    if (authorization.length !== 'Bearer '.length + bearer.length) return
    askers.set(authorization, Object.assign(asker, { bearer }))
  }

  return (connection, authorization) => {
    if (authorization === undefined) return undefined
    const asker = getBearerRequest(connection, authorization)
    try {
      const principal = authenticate(asker)
      if (principal instanceof Promise) {
        principal.catch(() => {})
        return undefined
      }
      requirePlan(principal)
      if (asker.bearer === undefined) keep(asker, authorization)
      return principal
    } catch {
      return undefined
    }
  }
}
