import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2'
import type { Server, Socket } from 'node:net'

/** True if response data is unsent or the request is incomplete. */
const waitsForClient = (stream: ServerHttp2Stream): boolean =>
  stream.bufferSize > 0 || stream.state.remoteClose === 0

const endStuck = (streams: Map<ServerHttp2Stream, boolean>): void => {
  for (const [stream, wasWaiting] of streams) {
    const isWaiting = waitsForClient(stream)
    if (!(wasWaiting && isWaiting)) streams.set(stream, isWaiting)
    // A stream that its client reset without an error keeps its unsent data until it is destroyed.
    else if (stream.closed) stream.destroy()
    else stream.close(constants.NGHTTP2_CANCEL)
  }
}

/** The streams of each watched session, and whether each one waited for its client at the last check. */
const watched = new WeakMap<Http2Session, Map<ServerHttp2Stream, boolean>>()

/** Whether a session has a complete request without a complete response. Requires `limitPatience`. */
export const isAnsweringStreams = (session: Http2Session): boolean =>
  watched
    .get(session)
    ?.keys()
    .some(({ state }) => state.remoteClose !== 0) === true

const watch = (session: Http2Session, timeoutMs: number): void => {
  const streams = new Map<ServerHttp2Stream, boolean>()
  watched.set(session, streams)
  let wasIdle = false
  const look = () => {
    endStuck(streams)
    if (wasIdle) session.close()
    wasIdle = streams.size === 0
  }
  const timer = setInterval(look, timeoutMs).unref()
  session.once('close', () => clearInterval(timer))
  session.on('stream', (stream) => {
    wasIdle = false
    streams.set(stream, false)
    stream.on('drain', () => streams.set(stream, false))
    stream.once('close', () => streams.delete(stream))
  })
}

/**
 * Sets Node's idle timeout on sockets with an unread response. Node restarts it whenever the client reads
 * some of the response, and clears it at the end. A timeout from the start of each response costs a thirtieth
 * of a response from memory.
 */
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
 * Ends connections and streams that their clients leave unread or unfinished, within twice `timeoutMs`. Over
 * HTTP/1: a connection whose client reads nothing of its response for `timeoutMs`. Over HTTP/2: a stream
 * whose client reads nothing or does not finish its request for `timeoutMs`, and a session without streams
 * for `timeoutMs`. Node's own timeouts for HTTP/2 sessions and streams do not suffice, because each PING
 * restarts them.
 * See docs/decisions/0065-unread-http2-answers-end.md.
 */
export const limitPatience = (server: Server, isTls: boolean, timeoutMs: number): void => {
  watchSockets(server, isTls ? 'secureConnection' : 'connection', timeoutMs)
  server.on('session', (session: Http2Session) => watch(session, timeoutMs))
}
