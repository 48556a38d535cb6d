import type { ServerResponse } from 'node:http'
import type { Server, ServerOpts, Socket } from 'node:net'

/** Node keeps the unfinished answer of an HTTP/1 connection in this undocumented property. */
type Answering = Socket & { _httpMessage?: ServerResponse | null }

/** Whether an HTTP/1 connection has sent the head of an answer, but not its end. */
export const hasBegunAnswer = (socket: Socket): boolean =>
  (socket as Answering)._httpMessage?.headersSent === true

/** Whether an HTTP/1 connection has received a complete request, and not sent the end of its answer. */
export const isAnswering = (socket: Socket): boolean =>
  (socket as Answering)._httpMessage?.req.complete === true

/** Options of Node's servers, which keep them as properties that their types do not list. */
type Listening = {
  allowHalfOpen: boolean
  highWaterMark: number
  noDelay: boolean
  keepAlive: boolean
  keepAliveInitialDelay: number
}

/** Returns a server's options for its connections, for a second server that accepts connections for it. */
export const optionsOf = (server: Server): ServerOpts => {
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
