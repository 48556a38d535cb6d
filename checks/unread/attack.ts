import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'

/** Clients that request and never read. Each connects again when the service ends its connection. */
export type Attack = {
  /** Resolves when each client has connected once. */
  begun: Promise<unknown>
  countEnded(): number
  stop(): void
}

type Connect = (onClose: () => void) => { connected: Promise<unknown>; destroy(): void }

const againAfterMs = 200
const sendsEachMs = 1_000

const repeat = (count: number, connectOne: Connect): Attack => {
  const clients = new Set<{ destroy(): void }>()
  let isOver = false
  let ended = 0
  const open = (): Promise<unknown> => {
    if (isOver) return Promise.resolve()
    const client = connectOne(() => {
      clients.delete(client)
      if (isOver) return
      ended += 1
      setTimeout(open, againAfterMs).unref()
    })
    clients.add(client)
    return client.connected
  }
  return {
    begun: Promise.all(Array.from({ length: count }, open)),
    countEnded: () => ended,
    stop() {
      isOver = true
      for (const client of clients) client.destroy()
    },
  }
}

const pipelined = 'GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(100)

/** Each client pipelines 100 requests over HTTP/1.1. */
export const pipeline = (port: number, count: number): Attack =>
  repeat(count, (onClose) => {
    const socket: Socket = connect(port, '127.0.0.1')
    socket
      .pause()
      .on('error', () => {})
      .once('close', onClose)
    const connected = new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
    socket.write(pipelined)
    // Keeps Node's timeouts from passing, and notices the end, because a paused socket does not.
    const sending = setInterval(() => socket.write('\r\n'), sendsEachMs)
    socket.once('close', () => clearInterval(sending))
    return { connected, destroy: () => socket.destroy() }
  })

/** Each client opens a session with a window of 0 and requests once. */
export const closeWindows = (port: number, count: number): Attack =>
  repeat(count, (onClose) => {
    const session = connectHttp2(`https://127.0.0.1:${port}`, {
      rejectUnauthorized: false,
      settings: { initialWindowSize: 0 },
    })
    session.on('error', () => {}).once('close', onClose)
    const connected = new Promise((resolve) => session.once('connect', resolve).once('close', resolve))
    session.request({ ':path': '/openapi.json' }).on('error', () => {})
    return { connected, destroy: () => session.destroy() }
  })
