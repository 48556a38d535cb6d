import type { Http2Session } from 'node:http2'
import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { isAnswering } from './node.ts'
import { isAnsweringStreams } from './patience.ts'

type Connection = {
  readonly socket: Socket
  isInUse: () => boolean
}

const never = () => false

/** Equal for a TCP socket and the TLS socket around it: Node has no public link between the two. */
const formatEnds = ({ localAddress, remoteAddress, remotePort }: Socket): string =>
  `${localAddress} ${remoteAddress} ${remotePort}`

/**
 * Keeps at most `max` connections open. Each further one calls `onFull` and replaces the oldest connection
 * without a complete unanswered request, also in its TLS handshake. If there is none, the new one is closed.
 */
export const limitConnections = (server: Server, isTls: boolean, max: number, onFull: () => void): void => {
  const connections = new Map<string, Connection>()
  const closeOne = (newest: Socket) => {
    for (const { socket, isInUse } of connections.values()) {
      if (socket !== newest && !socket.destroyed && !isInUse()) return socket.destroy()
    }
    return newest.destroy()
  }
  const note = (socket: Socket, isInUse: () => boolean) => {
    const connection = connections.get(formatEnds(socket))
    if (connection) connection.isInUse = isInUse
  }
  server.on('connection', (socket: Socket) => {
    const ends = formatEnds(socket)
    connections.set(ends, { socket, isInUse: isTls ? never : () => isAnswering(socket) })
    socket.once('close', () => {
      // The client may have reused its port before this event.
      if (connections.get(ends)?.socket === socket) connections.delete(ends)
    })
    if (connections.size <= max) return
    onFull()
    closeOne(socket)
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') note(socket, () => isAnswering(socket))
  })
  server.on('session', (session: Http2Session) => {
    note(session.socket as Socket, () => isAnsweringStreams(session))
  })
}
