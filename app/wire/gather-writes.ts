import type { Socket } from 'node:net'
import type { Redis } from 'ioredis'

/**
 * Sends all commands of one event-loop turn in one write. Call it after each connect, which opens a new stream.
 * ioredis's `enableAutoPipelining` holds commands for a round trip instead: they leave the young generation.
 */
export const gatherWrites = ({ stream }: Redis): void => {
  const socket = stream as Socket
  const { write } = socket
  const send = () => socket.uncork()
  socket.write = (...given: unknown[]) => {
    if (socket.writableCorked === 0) {
      socket.cork()
      setImmediate(send)
    }
    return (write as (...all: unknown[]) => boolean).apply(socket, given)
  }
}
