import type { Socket } from 'node:net'
import type { Redis } from 'ioredis'

/**
 * Commands of one turn of the event loop go out at its end as one piece. The client's own way of that
 * (`enableAutoPipelining`) waits for the answer to a batch before it sends the next: whoever waits as long outlives the
 * collections of what is young, with all that it holds. To be called once the client has connected.
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
