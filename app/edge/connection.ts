import type { Http2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Principal } from '../identity/principal.ts'
import { requirePlan } from '../identity/principals.ts'
import { readBearer } from '../identity/tokens.ts'

/** The sender of an Authorization header, as `authenticate` takes it; with `bearer` once the token was good. */
type Asker = { headers: { authorization: string }; bearer?: string }

/** What the edge keeps of a connection of either protocol. */
export type EdgeConnection = {
  readonly socket: Socket
  /** Whether this process itself does the connection's TLS. */
  readonly isEncrypted: boolean
  /** The address at its other end. Undefined if the client has already gone. */
  readonly address: string | undefined
  /** Who asked last. A connection mostly sends the same token again: comparing is cheaper than hashing it. */
  lastAsker: Asker | undefined
}

type FindConnection = (owner: Socket | Http2Session) => EdgeConnection

/** Finds what is kept of a connection by its socket, or by its session if it speaks HTTP/2. */
export const createConnections = (): FindConnection => {
  const known = new WeakMap<Socket | Http2Session, EdgeConnection>()
  return (owner) => {
    const found = known.get(owner)
    if (found) return found
    const socket = 'socket' in owner ? (owner.socket as Socket) : owner
    const isEncrypted = 'encrypted' in owner && owner.encrypted === true
    const made = { socket, isEncrypted, address: socket.remoteAddress, lastAsker: undefined }
    known.set(owner, made)
    return made
  }
}

/** Remembers some 10,000 Authorization headers of the usual size. A client chooses how long its token is. */
const askerBounds = {
  maxSize: 7_000_000,
  sizeCalculation: (_: unknown, authorization: string) => authorization.length + 200,
}

/** Returns who asks. Undefined if the router has to judge it. */
export type Identify = (
  connection: EdgeConnection,
  authorization: string | undefined,
) => Principal | undefined

/** Finds principals by the whole Authorization header. Returns undefined if the router has to judge it. */
export const createIdentify = (authenticate: (asker: Asker) => Principal | Promise<Principal>): Identify => {
  const askers = new LRUCache<string, Asker>(askerBounds)

  const askerOf = (connection: EdgeConnection, authorization: string): Asker => {
    const last = connection.lastAsker
    if (last?.headers.authorization === authorization) return last
    const known = askers.get(authorization)
    if (known) connection.lastAsker = known
    return known ?? { headers: { authorization } }
  }
  /** Only in the usual spelling: with other spaces one token has thousands, of up to 16 kB each. */
  const keep = (asker: Asker, authorization: string): void => {
    const bearer = readBearer(authorization)
    if (authorization.length !== 'Bearer '.length + bearer.length) return
    askers.set(authorization, Object.assign(asker, { bearer }))
  }

  return (connection, authorization) => {
    if (authorization === undefined) return undefined
    const asker = askerOf(connection, authorization)
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
