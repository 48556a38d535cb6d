import type { Server, ServerOpts, Socket } from 'node:net'

/** The answer that is under way on a connection, in Node's own place for it. Node's own handler of errors looks there, too. */
type Answering = Socket & { _httpMessage?: { headersSent: boolean } | null }

/** Whether the head of an answer has been sent on a connection on which that answer has not ended. */
export const hasBegunAnswer = (socket: Socket): boolean =>
  (socket as Answering)._httpMessage?.headersSent === true

/** How Node's servers take connections; they keep it as properties, which their types do not tell. */
type Taking = {
  allowHalfOpen: boolean
  highWaterMark: number
  noDelay: boolean
  keepAlive: boolean
  keepAliveInitialDelay: number
}

/** The options with which a server takes connections, for another server that takes them for it. */
export const optionsOf = (server: Server): ServerOpts => {
  const { allowHalfOpen, highWaterMark, noDelay, keepAlive, keepAliveInitialDelay } =
    server as unknown as Taking
  // It is kept in seconds and given in milliseconds.
  return {
    allowHalfOpen,
    highWaterMark,
    noDelay,
    keepAlive,
    keepAliveInitialDelay: keepAliveInitialDelay * 1000,
  }
}
