import type { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'

type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: string[],
) => void

/**
 * Calls `front` for each HTTP/2 stream before Node creates a request and a response for it, which costs a
 * third of a response. `front` returns true if it has answered the stream. Call this when the server has its
 * first `request` listener: Node then has exactly one `stream` listener, which creates them. This is
 * undocumented. If it does not hold, the function changes nothing and returns false: the router answers all
 * streams.
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
