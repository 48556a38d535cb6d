import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2'
import type { Server, Socket } from 'node:net'

/** The rest of its request, or somebody who takes what was answered. */
const waitsForClient = (stream: ServerHttp2Stream): boolean =>
  stream.bufferSize > 0 || stream.state.remoteClose === 0

const endStuck = (streams: Map<ServerHttp2Stream, boolean>): void => {
  for (const [stream, wasWaiting] of streams) {
    const isWaiting = waitsForClient(stream)
    if (!(wasWaiting && isWaiting)) streams.set(stream, isWaiting)
    // One that its client has reset without an error keeps what was not sent until it is destroyed.
    else if (stream.closed) stream.destroy()
    else stream.close(constants.NGHTTP2_CANCEL)
  }
}

/** The streams of each watched session; whether a stream waited for its client at the last look. */
const watched = new WeakMap<Http2Session, Map<ServerHttp2Stream, boolean>>()

/** Whether a session has a stream with a complete request and an incomplete answer. Needs `limitPatience`. */
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
 * Gives sockets with an unread answer Node's own timeout, which knows whether anything of it was taken since. Node ends
 * that timeout with the answer. A timeout for each answer from its start costs a thirtieth of an answer from memory.
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
 * Ends what clients leave lying. Over HTTP/1: a connection of whose answer nothing was taken for `timeoutMs`. Over
 * HTTP/2: a stream of which nothing was taken, or whose request did not end, for `timeoutMs`, and a session without a
 * stream for so long. Each ends within twice that time. Node's own timeouts for HTTP/2 do not end them: those of
 * sessions and of streams alike begin again with each PING.
 * See docs/decisions/0065-unread-http2-answers-end.md.
 */
export const limitPatience = (server: Server, isTls: boolean, timeoutMs: number): void => {
  watchSockets(server, isTls ? 'secureConnection' : 'connection', timeoutMs)
  server.on('session', (session: Http2Session) => watch(session, timeoutMs))
}
