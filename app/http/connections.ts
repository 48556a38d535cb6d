import type { Http2Session } from 'node:http2'
import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { isAnswering } from '../wire/node.ts'
import { getUnsentBytes } from './pipelining.ts'
import { watchSession } from './session-streams.ts'
import {
  endIfStalled,
  endServed,
  isStalled,
  listExcess,
  type Patience,
  patience,
  type ServedConnection,
  type Upper,
} from './unread.ts'

/**
 * `unread`: its client made no progress. `memory`: unsent bytes of all connections. `full`: a new connection
 * needed the place. `network`: its network holds its share.
 */
export const endReasons = ['unread', 'memory', 'full', 'network'] as const
type EndReason = (typeof endReasons)[number]

/** The youngest tenth gives way if all connections are in use, so that a health check gets in. */
const reservedShare = 1 / 10

export type ConnectionsOptions = Readonly<{
  max: number
  mostOfNetwork: number
  /** Returns the network of a peer's address. `undefined` if the peer may hold all connections. */
  toNetwork: (address: string) => string | undefined
  onEnd?: (reason: EndReason) => void
  patience?: Partial<Patience>
  /** Monotonic milliseconds. */
  now?: () => number
}>

const handshake: Upper = { isInUse: () => false, getUnsentBytes: () => 0 }

const toHttp1 = (socket: Socket): Upper => ({
  isInUse: () => isAnswering(socket),
  getUnsentBytes: () => getUnsentBytes(socket),
})

/** Equal for a TCP socket and the TLS socket around it: Node has no public link between the two. */
const formatEnds = ({ localAddress, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${remoteAddress} ${remotePort}`

/**
 * Bounds the connections of one server and ends those whose clients do not read. Above `max`, or above
 * `mostOfNetwork` of one network, a new connection replaces another one. See docs/operations.md, "Connections",
 * and docs/decisions/0164-clients-must-take-bytes.md and
 * docs/decisions/0165-networks-have-a-share-of-connections.md.
 */
export const createConnections = (options: ConnectionsOptions) => {
  const { max, mostOfNetwork, toNetwork, onEnd, now = () => performance.now() } = options
  const limits: Patience = { ...patience, ...options.patience }
  const reserved = Math.ceil(max * reservedShare)
  const connections = new Map<string, ServedConnection>()
  const networks = new Map<string, number>()
  const ended = new Map<EndReason, number>(endReasons.map((reason) => [reason, 0]))

  const countEnd = (reason: EndReason): void => {
    ended.set(reason, (ended.get(reason) ?? 0) + 1)
    onEnd?.(reason)
  }
  const end = (connection: ServedConnection, reason: EndReason): void => {
    countEnd(reason)
    endServed(connection)
  }
  const addToNetwork = (network: string | undefined, change: 1 | -1): number => {
    if (network === undefined) return 0
    const count = (networks.get(network) ?? 0) + change
    if (count === 0) networks.delete(network)
    else networks.set(network, count)
    return count
  }

  /** `candidates`: oldest first, the new one last. */
  const findVictim = (
    candidates: readonly ServedConnection[],
    spared: number,
  ): ServedConnection | undefined => {
    const nowMs = now()
    const getSince = (each: ServedConnection | undefined) => each?.stalledSince ?? nowMs
    const longest = candidates.reduce<ServedConnection | undefined>(
      (a, b) => (getSince(b) < getSince(a) ? b : a),
      undefined,
    )
    if (longest && isStalled(longest, nowMs, limits.unreadAtLimitMs)) return longest
    const place = candidates.length - 1 - spared
    return candidates.find(({ upper }, index) => index < place && !upper.isInUse()) ?? candidates[place]
  }
  const makeRoom = (most: number, spared: number, reason: EndReason, network?: string): void => {
    const candidates = [...connections.values()].filter(
      // An ended connection stays in the map until its `close` event.
      ({ socket, network: its }) => !socket.destroyed && (network === undefined || its === network),
    )
    if (candidates.length <= most) return
    const victim = findVictim(candidates, spared)
    if (victim) end(victim, reason)
  }
  const add = (socket: Socket, upper: Upper): void => {
    const ends = formatEnds(socket)
    const network = toNetwork(socket.remoteAddress ?? '')
    connections.set(ends, { socket, network, upper, stalledSince: undefined, taken: 0 })
    const ofNetwork = addToNetwork(network, 1)
    socket.once('close', () => {
      addToNetwork(network, -1)
      // The client may have reused its port before this event.
      if (connections.get(ends)?.socket === socket) connections.delete(ends)
    })
    if (ofNetwork > mostOfNetwork) makeRoom(mostOfNetwork, 0, 'network', network)
    if (connections.size > max) makeRoom(max, reserved, 'full')
  }
  const setUpper = (socket: Socket, upper: Upper): void => {
    const connection = connections.get(formatEnds(socket))
    if (connection) connection.upper = upper
  }
  const sweep = (): void => {
    const nowMs = now()
    const limitMs = connections.size < max ? limits.unreadMs : limits.unreadAtLimitMs
    for (const connection of connections.values()) {
      if (endIfStalled(connection, nowMs, { limitMs, leastBytes: limits.leastBytes })) countEnd('unread')
    }
    for (const connection of listExcess(connections.values(), nowMs, limits.mostUnsentBytes)) {
      end(connection, 'memory')
    }
  }

  return {
    /** Call it before the server listens. `idleMs`: for a session without streams. */
    watch(server: Server, isTls: boolean, idleMs: number): void {
      server.on('connection', (socket: Socket) => add(socket, isTls ? handshake : toHttp1(socket)))
      server.on('secureConnection', (socket: TLSSocket) => {
        if (socket.alpnProtocol !== 'h2') setUpper(socket, toHttp1(socket))
      })
      server.on('session', (session: Http2Session) => {
        setUpper(session.socket as Socket, watchSession(session, { requestMs: limits.requestMs, idleMs }))
      })
      server.once('listening', () => {
        const timer = setInterval(sweep, limits.sweepMs).unref()
        server.once('close', () => clearInterval(timer))
      })
    },
    /** Ends stalled connections. `watch` calls it every second. */
    sweep,
    figures: () => ({
      open: connections.size,
      max,
      unsentBytes: connections.values().reduce((total, { upper }) => total + upper.getUnsentBytes(), 0),
      ended: ended as ReadonlyMap<string, number>,
    }),
  }
}

export type Connections = ReturnType<typeof createConnections>
