import type { Http2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../identity/principal.ts'
import { requirePlan } from '../identity/rights.ts'
import { readBearer } from '../identity/tokens.ts'

/** `bearer`: the token, set once it was accepted. */
type BearerRequest = { headers: { authorization: string }; bearer?: string }

export type EdgeConnection = {
  readonly socket: Socket
  readonly isEncrypted: boolean
  /** Of the peer, which may be a proxy. */
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
const cacheBounds = {
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
  authenticate: (request: BearerRequest) => Principal | Promise<Principal>,
): Identify => {
  const known = new LRUCache<string, BearerRequest>(cacheBounds)

  const getBearerRequest = (connection: EdgeConnection, authorization: string): BearerRequest => {
    const last = connection.lastBearerRequest
    if (last?.headers.authorization === authorization) return last
    const found = known.get(authorization)
    if (found) connection.lastBearerRequest = found
    return found ?? { headers: { authorization } }
  }
  /** Only with a single space after `Bearer`: otherwise one token has thousands of spellings. */
  const remember = (request: BearerRequest, authorization: string): void => {
    const bearer = readBearer(authorization)
    if (authorization.length !== 'Bearer '.length + bearer.length) return
    known.set(authorization, Object.assign(request, { bearer }))
  }

  return (connection, authorization) => {
    if (authorization === undefined) return undefined
    const request = getBearerRequest(connection, authorization)
    try {
      const principal = authenticate(request)
      if (principal instanceof Promise) {
        principal.catch(() => {})
        return undefined
      }
      requirePlan(principal)
      if (request.bearer === undefined) remember(request, authorization)
      return principal
    } catch {
      return undefined
    }
  }
}
