import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2'

/** What has sessions of HTTP/2: Node's server. */
type Sessions = { on(event: 'session', listener: (session: Http2Session) => void): unknown }

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

const watch = (session: Http2Session, timeoutMs: number): void => {
  /** Whether, at the last look, it waited for its client, which has taken nothing since. */
  const streams = new Map<ServerHttp2Stream, boolean>()
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
 * Ends what clients of HTTP/2 leave lying: a stream of which nothing was taken, or whose request did not end, for
 * `timeoutMs`, and a session without a stream for so long; each within twice that time. Node's own timeouts do not:
 * those of sessions and of streams alike begin again with each PING.
 */
export const limitPatience = (server: Sessions, timeoutMs: number): void => {
  server.on('session', (session) => watch(session, timeoutMs))
}
