import type { Socket } from 'node:net'
import { countSent } from '../wire/node.ts'

/** The numbers of docs/operations.md, "Connections". */
export const patience = {
  /** In this time a client must take `leastBytes` of each answer that waits for it. */
  unreadMs: 60_000,
  /** The same time when all connections are taken. */
  unreadAtLimitMs: 10_000,
  leastBytes: 16 * 1024,
  /** Unsent bytes of all connections of a process. */
  mostUnsentBytes: 256 * 1024 * 1024,
  /** For a request over HTTP/2 to arrive. */
  requestMs: 30_000,
  sweepMs: 1_000,
} as const

export type Patience = { readonly [name in keyof typeof patience]: number }

/** What HTTP does on a connection. */
export type Upper = Readonly<{
  /** Whether there is a complete request without a complete response. */
  isInUse: () => boolean
  getUnsentBytes: () => number
  /** Of HTTP/2. Called by each sweep. Returns the number of answers that the client's windows hold back. */
  look?: (nowMs: number) => number
  /** Of HTTP/2. Bytes that the service sent without a request. */
  getControlBytes?: () => number
  /** Of HTTP/2. Returns whether it has closed the session. */
  endStalled?: (nowMs: number, limitMs: number) => boolean
}>

export type ServedConnection = {
  /** The TCP socket, also under TLS. */
  readonly socket: Socket
  /** `undefined` if the peer may hold all connections. */
  readonly network: string | undefined
  upper: Upper
  /** Since when the client has taken less than `leastBytes`. `undefined` if nothing waits for it. */
  stalledSince: number | undefined
  /** Bytes that the client had taken at `stalledSince`. */
  taken: number
}

export const isStalled = ({ stalledSince }: ServedConnection, nowMs: number, limitMs: number): boolean =>
  stalledSince !== undefined && nowMs - stalledSince >= limitMs

/** Ends a connection. Resets a stalled one, because the system would keep its unsent bytes for minutes. */
export const endServed = ({ socket, stalledSince }: ServedConnection): void => {
  // `resetAndDestroy` alone sends a FIN before the reset. `destroy` in the same tick prevents that.
  if (stalledSince !== undefined) socket.resetAndDestroy()
  socket.destroy()
}

/**
 * Compares the bytes that the client has taken with the last sweep. Ends a stalled connection, or the stalled
 * streams of a session. Returns true if the connection was ended.
 */
export const endIfStalled = (
  connection: ServedConnection,
  nowMs: number,
  { limitMs, leastBytes }: { limitMs: number; leastBytes: number },
): boolean => {
  const { socket, upper } = connection
  const held = upper.look?.(nowMs) ?? 0
  const sent = countSent(socket)
  if (sent === undefined) return false
  const isBlocked = sent.queued > 0
  const waiting = Math.max(held, isBlocked ? 1 : 0)
  if (waiting === 0) {
    connection.stalledSince = undefined
    return false
  }
  const taken = sent.accepted - (upper.getControlBytes?.() ?? 0)
  if (connection.stalledSince === undefined || taken - connection.taken >= leastBytes * waiting) {
    connection.stalledSince = nowMs
    connection.taken = taken
  }
  if (!isStalled(connection, nowMs, limitMs)) return false
  if (!isBlocked && upper.endStalled) return upper.endStalled(nowMs, limitMs)
  endServed(connection)
  return true
}

/** Lists connections to end until the rest has at most `mostBytes` unsent: first those without progress for longest. */
export const listExcess = (
  connections: Iterable<ServedConnection>,
  nowMs: number,
  mostBytes: number,
): readonly ServedConnection[] => {
  const holders = [...connections]
    .filter(({ socket }) => !socket.destroyed)
    .map((connection) => {
      const { upper, stalledSince = nowMs } = connection
      return { connection, stalledSince, bytes: upper.getUnsentBytes() }
    })
    .filter(({ bytes }) => bytes > 0)
  let total = holders.reduce((sum, { bytes }) => sum + bytes, 0)
  if (total <= mostBytes) return []
  holders.sort((a, b) => a.stalledSince - b.stalledSince || b.bytes - a.bytes)
  const count = holders.findIndex(({ bytes }) => {
    total -= bytes
    return total <= mostBytes
  })
  return holders.slice(0, count + 1).map(({ connection }) => connection)
}
