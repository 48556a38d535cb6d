import type { Server, ServerOpts } from 'node:net'

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
