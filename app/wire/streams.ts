import type { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'

type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: string[],
) => void

/**
 * Lets `front` see each stream of HTTP/2 before Node makes its request and response of it, which costs a third of an
 * answer. Returns true if `front` answered the stream. Call it when the server has its first `request` listener: Node
 * then has one `stream` listener of its own, which makes them. That is no documented fact. If it is not so, nothing is
 * changed and the function returns false: `front` sees no stream, and the router answers all of them.
 * See docs/decisions/0087-the-edge-answers-streams.md.
 */
export const frontStreams = (
  server: EventEmitter,
  front: (...stream: Parameters<StreamListener>) => boolean,
): boolean => {
  const [own, ...others] = server.listeners('stream') as StreamListener[]
  if (!own || others.length > 0) return false
  server.removeListener('stream', own)
  server.on('stream', ((...stream) => {
    if (!front(...stream)) own.apply(server as never, stream)
  }) as StreamListener)
  return true
}
