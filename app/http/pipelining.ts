import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests handled in addition to the oldest one. */
const mostWaiting = 15

const closeAt = 1_000

/** Further requests are handled when the client has taken earlier answers. */
const mostUnsentBytes = 256 * 1024

/** `unanswered`: of requests that arrived behind another one. `held`: those that are not handled yet. */
type Queue = {
  readonly unanswered: Set<ServerResponse>
  readonly held: (() => void)[]
  isWatched: boolean
  isScheduled: boolean
}

const queues = new WeakMap<Socket, Queue>()

/** Returns the bytes of an HTTP/1 connection that wait for its client, or for an earlier answer. */
export const getUnsentBytes = (socket: Socket): number => {
  let bytes = socket.writableLength
  for (const response of queues.get(socket)?.unanswered ?? []) {
    if (response.socket === null) bytes += response.writableLength
  }
  return bytes
}

const stopReading = (socket: Socket, queue: Queue): void => {
  socket.pause()
  if (queue.isWatched) return
  queue.isWatched = true
  socket.on('resume', () => {
    if (queue.unanswered.size < mostWaiting) return
    socket.pause()
    // Node stops reading only on this event, which `pause` does not emit if the socket is paused already.
    socket.emit('pause')
  })
}

const handleNext = (socket: Socket, queue: Queue): void => {
  queue.isScheduled = false
  if (socket.destroyed) return
  const inProgress = queue.unanswered.size - queue.held.length
  // The end of a request in progress handles the next one.
  if (inProgress >= mostWaiting || (inProgress > 0 && getUnsentBytes(socket) >= mostUnsentBytes)) return
  queue.held.shift()?.()
  schedule(socket, queue)
}

/** One request in each turn of the event loop, so that a prompt answer is counted before the next request. */
const schedule = (socket: Socket, queue: Queue): void => {
  if (queue.isScheduled || queue.held.length === 0) return
  queue.isScheduled = true
  setImmediate(handleNext, socket, queue)
}

const noteAnswered = (socket: Socket, queue: Queue, response: ServerResponse): void => {
  queue.unanswered.delete(response)
  if (queue.unanswered.size === mostWaiting - 1) socket.resume()
  schedule(socket, queue)
}

const enqueue = (socket: Socket, response: ServerResponse, handle: () => void): void => {
  const queue = queues.get(socket) ?? {
    unanswered: new Set(),
    held: [],
    isWatched: false,
    isScheduled: false,
  }
  queues.set(socket, queue)
  const { size } = queue.unanswered.add(response)
  queue.held.push(handle)
  response.once('close', () => {
    if (!socket.destroyed) noteAnswered(socket, queue, response)
  })
  if (size >= mostWaiting) stopReading(socket, queue)
  if (size === closeAt) socket.destroy()
  else schedule(socket, queue)
}

/**
 * Limits pipelined requests of an HTTP/1 connection: while 256 KiB of answers wait, at most two are handled.
 * Reading stops at 16 unanswered ones, and above 1,000 the connection is closed. A request without an unanswered
 * one before it is handled synchronously.
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
