import type { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'

type StreamListener = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: string[],
) => void

/**
 * Calls `front` for each HTTP/2 stream before Node creates its request and response, which costs a third of an
 * answer. `front` returns true if it has answered. Call this when the server has its first `request` listener:
 * Node's only `stream` listener then creates both (undocumented). If there are others, changes nothing and
 * returns false: the router answers all streams.
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
