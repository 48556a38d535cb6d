import type { ServerResponse } from 'node:http'
import type { Server, ServerOpts, Socket } from 'node:net'

/** Node keeps an HTTP/1 connection's unfinished response in this undocumented property. */
type Answering = Socket & { _httpMessage?: ServerResponse | null }

/** Whether an HTTP/1 connection has sent the head of a response, but not its end. */
export const hasBegunAnswer = (socket: Socket): boolean =>
  (socket as Answering)._httpMessage?.headersSent === true

/** Whether an HTTP/1 connection has a complete request without a complete response. */
export const isAnswering = (socket: Socket): boolean =>
  (socket as Answering)._httpMessage?.req.complete === true

/** Server options that Node keeps as properties, which its types do not list. */
type Listening = {
  allowHalfOpen: boolean
  highWaterMark: number
  noDelay: boolean
  keepAlive: boolean
  keepAliveInitialDelay: number
}

/** Returns a server's connection options, for a second server that accepts connections for the first one. */
export const getOptions = (server: Server): ServerOpts => {
  const { allowHalfOpen, highWaterMark, noDelay, keepAlive, keepAliveInitialDelay } =
    server as unknown as Listening
  // Node stores seconds, and accepts milliseconds.
  return {
    allowHalfOpen,
    highWaterMark,
    noDelay,
    keepAlive,
    keepAliveInitialDelay: keepAliveInitialDelay * 1000,
  }
}
