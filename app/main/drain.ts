import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Http2Session } from 'node:http2'
import type { Socket } from 'node:net'

type Drain = {
  /** Makes clients leave by `Connection: close` or GOAWAY (RFC 9113 §6.8), before their connections are closed. */
  begin(): void
  /** Closes HTTP/1 connections when they become idle, until the returned function is called. */
  endIdle(): () => void
  /** Closes all connections and returns their number. */
  cut(): number
}

/** The greatest stream identifier, so that all requests in progress are answered. */
const everyStream = 2 ** 31 - 1

const idleLookMs = 50

type Listeners = Pick<Server, 'on' | 'prependListener' | 'closeIdleConnections'>

/** Sends clients away before the server closes. Call it before the server listens. */
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
    // Sent away before its first request, a client would reconnect to this instance.
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
