import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests handled in addition to the oldest one. */
const mostWaiting = 15

const closeAt = 1_000

/** `length`: unanswered requests that arrived behind another one. `held`: those that are not handled yet. */
type Queue = { length: number; held: (() => void)[]; isWatched: boolean }

const queues = new WeakMap<Socket, Queue>()

const stopReading = (socket: Socket, queue: Queue): void => {
  socket.pause()
  if (queue.isWatched) return
  queue.isWatched = true
  socket.on('resume', () => {
    if (queue.length < mostWaiting) return
    socket.pause()
    // Node stops reading only on this event, which `pause` does not emit if the socket is paused already.
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
 * Limits pipelined requests of an HTTP/1 connection: reading stops at 16 unanswered ones, and above 1,000 the
 * connection is closed. A request without an unanswered one before it is handled synchronously.
 */
export const handleInTurn = (
  request: IncomingMessage,
  response: ServerResponse,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): void => {
  // A response has its socket once all earlier ones were sent.
  if (request.httpVersionMajor !== 1 || response.socket !== null) handle(request, response)
  // Node still parses bytes that it read before the connection was closed.
  else if (!request.socket.destroyed) enqueue(request.socket, response, () => handle(request, response))
}
