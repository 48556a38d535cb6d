import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Requests of a connection that are handled although they arrived behind another one: 16 with the first one, and 15
 * after its answer.
 */
const mostWaiting = 15

/** A connection with more than 1,000 unanswered requests is closed. */
const closeAt = 1_000

type Queue = {
  /** Unanswered requests that arrived behind another one. */
  length: number
  /** The last of them, which have not been handled yet. */
  held: (() => void)[]
  isWatched: boolean
}

const queues = new WeakMap<Socket, Queue>()

const stopReading = (socket: Socket, queue: Queue): void => {
  socket.pause()
  if (queue.isWatched) return
  queue.isWatched = true
  // Node resumes a socket after each answer and for each body.
  socket.on('resume', () => {
    if (queue.length < mostWaiting) return
    socket.pause()
    // `pause` emits nothing on a socket that was paused since `resume`, but Node reads until it hears this.
    socket.emit('pause')
  })
}

const noteAnswered = (socket: Socket, queue: Queue): void => {
  if (socket.destroyed) return
  queue.length -= 1
  if (queue.length === mostWaiting - 1) socket.resume()
  queue.held.shift()?.()
}

const enqueue = (socket: Socket, response: ServerResponse, handle: () => void): void => {
  const queue = queues.get(socket) ?? { length: 0, held: [], isWatched: false }
  queues.set(socket, queue)
  queue.length += 1
  response.once('close', () => noteAnswered(socket, queue))
  if (queue.length >= mostWaiting) stopReading(socket, queue)
  if (queue.length === closeAt) socket.destroy()
  else if (queue.length > mostWaiting) queue.held.push(handle)
  else handle()
}

/**
 * Bounds the pipelined requests of an HTTP/1 connection. Node itself counts only the bytes of their answers, so a
 * client could queue requests without limit while no answer exists yet. With 16 unanswered requests nothing more is
 * read. Requests in a part that was already read wait until the others are answered; above 1,000 the connection is
 * closed. Calls `handle` immediately for a request that waits for no other one, at the cost of one comparison.
 */
export const handleInTurn = (
  request: IncomingMessage,
  response: ServerResponse,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): void => {
  // A response gets its socket when all earlier ones have been sent. HTTP/2 has no such order.
  if (request.httpVersionMajor !== 1 || response.socket !== null) handle(request, response)
  // Node still parses the rest of a part that was read before the connection was closed.
  else if (!request.socket.destroyed) enqueue(request.socket, response, () => handle(request, response))
}
