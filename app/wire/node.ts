import type { Worker } from 'node:cluster'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { Server, ServerOpts, Socket } from 'node:net'

/** Node keeps an HTTP/1 connection's unfinished response in this undocumented property. */
type Answering = Socket & { _httpMessage?: ServerResponse | null }

/** Whether a response on an HTTP/1 connection has sent its head, but not its end. */
export const hasBegunAnswer = (socket: Socket): boolean =>
  (socket as Answering)._httpMessage?.headersSent === true

/** Whether an HTTP/1 connection has a complete request without a complete response. */
export const isAnswering = (socket: Socket): boolean =>
  (socket as Answering)._httpMessage?.req.complete === true

/** Closes an HTTP/1 connection after its next response. Returns false if it has none, or if its head was sent. */
export const closeAfterAnswer = (socket: Socket): boolean => {
  const message = (socket as Answering)._httpMessage
  if (!message?.req.complete || message.headersSent) return false
  message.shouldKeepAlive = false
  return true
}

/** The header fields of an HTTP/1 request whose body is still being received. */
export const findHeaders = (socket: Socket): IncomingHttpHeaders | undefined =>
  (socket as Answering)._httpMessage?.req.headers

type Handled = Socket & { _handle?: { bytesWritten: number; writeQueueSize: number } | null }

/**
 * Counts the bytes of a TCP socket that the system has accepted, and those that wait because the client does not
 * read. `undefined` after its end. Public properties count neither a part of a write nor bytes of TLS.
 */
export const countSent = (socket: Socket): { accepted: number; queued: number } | undefined => {
  const { _handle: handle } = socket as Handled
  if (!handle) return undefined
  const { bytesWritten, writeQueueSize: queued } = handle
  return { accepted: bytesWritten - queued, queued }
}

type Listening = {
  allowHalfOpen: boolean
  highWaterMark: number
  noDelay: boolean
  keepAlive: boolean
  keepAliveInitialDelay: number
}

/** Returns a server's connection options, for a second server that passes its connections to the first. */
export const getOptions = (server: Server): ServerOpts => {
  const { allowHalfOpen, highWaterMark, noDelay, keepAlive, keepAliveInitialDelay } =
    server as unknown as Listening
  // Node stores the delay in seconds and accepts it in milliseconds.
  return {
    allowHalfOpen,
    highWaterMark,
    noDelay,
    keepAlive,
    keepAliveInitialDelay: keepAliveInitialDelay * 1000,
  }
}

/**
 * Calls `onOrphaned` if a worker's primary ends without a word, such as after SIGKILL. Otherwise Node exits such a worker
 * immediately, with requests in progress. Node reads the property, which is documented as read-only, after this event.
 */
export const keepOrphan = (worker: Worker, onOrphaned: () => void): void => {
  worker.once('disconnect', () => {
    worker.exitedAfterDisconnect = true
    onOrphaned()
  })
}
