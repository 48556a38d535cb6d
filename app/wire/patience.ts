import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2'
import type { Server, Socket } from 'node:net'

/** True if the client has not read all written data or has not ended its request. */
const waitsForClient = (stream: ServerHttp2Stream): boolean =>
  stream.bufferSize > 0 || stream.state.remoteClose === 0

const endStuck = (streams: Map<ServerHttp2Stream, boolean>): void => {
  for (const [stream, wasWaiting] of streams) {
    const isWaiting = waitsForClient(stream)
    if (!(wasWaiting && isWaiting)) streams.set(stream, isWaiting)
    // If its client reset it without an error, a stream keeps unsent data until it is destroyed.
    else if (stream.closed) stream.destroy()
    else stream.close(constants.NGHTTP2_CANCEL)
  }
}

type Patience = { unreadMs: number; idleMs: number }

/** By session: its streams, and whether each waited for its client at the last check. */
const watched = new WeakMap<Http2Session, Map<ServerHttp2Stream, boolean>>()

/** Whether a session has a complete request without a complete response. Requires `limitPatience`. */
export const isAnsweringStreams = (session: Http2Session): boolean =>
  watched
    .get(session)
    ?.keys()
    .some(({ state }) => state.remoteClose !== 0) === true

const watch = (session: Http2Session, { unreadMs, idleMs }: Patience): void => {
  const streams = new Map<ServerHttp2Stream, boolean>()
  watched.set(session, streams)
  let wasIdle = false
  const closeIfIdle = () => {
    if (wasIdle) session.close()
    wasIdle = streams.size === 0
  }
  const timers = [
    setInterval(() => endStuck(streams), unreadMs).unref(),
    setInterval(closeIfIdle, idleMs).unref(),
  ]
  session.once('close', () => timers.forEach(clearInterval))
  session.on('stream', (stream) => {
    wasIdle = false
    streams.set(stream, false)
    stream.on('drain', () => streams.set(stream, false))
    stream.once('close', () => streams.delete(stream))
  })
}

// Sets Node's idle timeout, which restarts when the client reads, only on sockets with unsent data. Set at
// each response, it would cost a thirtieth.
const watchSockets = (server: Server, event: 'connection' | 'secureConnection', timeoutMs: number): void => {
  const sockets = new Set<Socket>()
  const look = () => {
    for (const socket of sockets) {
      if (socket.writableLength > 0 && !socket.timeout) socket.setTimeout(timeoutMs)
    }
  }
  const timer = setInterval(look, timeoutMs).unref()
  server.once('close', () => clearInterval(timer))
  server.on(event, (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
}

/**
 * Ends, after `unreadMs` to twice that: an HTTP/1 connection whose client reads nothing of its response, and an
 * HTTP/2 stream that waits for its client all this time without a `drain`. Ends, after `idleMs` to twice that, a
 * session without streams. PINGs restart Node's own HTTP/2 timeouts.
 * See docs/decisions/0065-unread-http2-answers-end.md.
 */
export const limitPatience = (server: Server, isTls: boolean, patience: Patience): void => {
  watchSockets(server, isTls ? 'secureConnection' : 'connection', patience.unreadMs)
  server.on('session', (session: Http2Session) => watch(session, patience))
}
