import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Http2Session } from 'node:http2'
import type { Socket } from 'node:net'

type Drain = {
  /**
   * Every further response sends its client away, by `Connection: close` or GOAWAY (RFC 9113, section 6.8).
   * Connections stay open, so that no request meets a closed one.
   */
  begin(): void
  /**
   * Closes HTTP/1 connections as soon as they are idle, until the returned function is called. Node closes
   * only those that are idle when `close` is called.
   */
  endIdle(): () => void
  cut(): number
}

/** The greatest stream identifier: all requests in progress will be answered. */
const everyStream = 2 ** 31 - 1

const idleLookMs = 50

type Listeners = Pick<Server, 'on' | 'prependListener' | 'closeIdleConnections'>

/** Controls how a server's clients are sent away before it closes. Call it before the server listens. */
export const createDrain = (server: Listeners): Drain => {
  const sockets = new Set<Socket>()
  const sessions = new Set<Http2Session>()
  let isDraining = false

  const sendAway = (session: Http2Session) => {
    if (!session.destroyed && !session.closed) session.goaway(0, everyStream)
  }
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('session', (session: Http2Session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    // A new client's first request is served. Refused earlier, it would reconnect to this instance.
    if (isDraining) session.once('stream', () => sendAway(session))
  })
  return {
    begin() {
      if (isDraining) return
      isDraining = true
      for (const session of sessions) sendAway(session)
      server.prependListener('request', ({ httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
        if (httpVersionMajor < 2) response.shouldKeepAlive = false
      })
    },
    endIdle() {
      const look = setInterval(() => server.closeIdleConnections(), idleLookMs)
      return () => clearInterval(look)
    },
    cut() {
      const count = sockets.size
      for (const session of sessions) session.destroy()
      for (const socket of sockets) socket.destroy()
      return count
    },
  }
}
