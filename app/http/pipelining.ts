import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests handled before their turn: 16 with the first request, 15 after its response. */
const mostWaiting = 15

const closeAt = 1_000

/** `length`: unanswered requests. `held`: handlers of the newest requests, not called yet. */
type Queue = { length: number; held: (() => void)[]; isWatched: boolean }

const queues = new WeakMap<Socket, Queue>()

const stopReading = (socket: Socket, queue: Queue): void => {
  socket.pause()
  if (queue.isWatched) return
  queue.isWatched = true
  socket.on('resume', () => {
    if (queue.length < mostWaiting) return
    socket.pause()
    // A socket that was paused in the meantime emits nothing, and Node reads until it receives this event.
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
 * Limits the pipelined requests of an HTTP/1 connection: at 16 unanswered ones reading stops, at 1,000 the connection
 * is closed. Calls `handle` synchronously for a request that waits for no other one.
 */
export const handleInTurn = (
  request: IncomingMessage,
  response: ServerResponse,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): void => {
  // Node assigns the socket to a response when all earlier ones were sent. HTTP/2 has no such order.
  if (request.httpVersionMajor !== 1 || response.socket !== null) handle(request, response)
  // Node still parses what it read before the connection was closed.
  else if (!request.socket.destroyed) enqueue(request.socket, response, () => handle(request, response))
}
