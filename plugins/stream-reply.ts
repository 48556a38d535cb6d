import { constants, type Http2ServerResponse } from 'node:http2'
import { Socket } from 'node:net'
import { finished, pipeline, type Readable } from 'node:stream'
import { TLSSocket } from 'node:tls'
import zlib from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Encoding } from '../app/http/encodings.ts'
import { findEncoding } from '../app/http/negotiation.ts'

/** Ends a failed answer visibly: RST_STREAM, a TCP reset, or over TLS a close without the last chunk. */
const cut = (response: FastifyReply['raw']): void => {
  const { stream } = response as unknown as Partial<Http2ServerResponse>
  if (stream) {
    stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    return
  }
  const { socket } = response
  // `resetAndDestroy` alone sends a FIN before the reset. `destroy` in the same tick prevents that.
  if (socket instanceof Socket && !(socket instanceof TLSSocket)) socket.resetAndDestroy()
  response.destroy()
}

/** Higher levels cost more time than they save for a body that is sent only once. */
const createEncoder = {
  br: () => zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } }),
  zstd: () => zlib.createZstdCompress(),
  gzip: () => zlib.createGzip({ level: 3 }),
} satisfies Record<Encoding, () => unknown>

/** Errors of the source destroy the result, and its destruction the source. */
const encodeStream = (source: Readable, encoding: Encoding | undefined): Readable =>
  encoding ? pipeline(source, createEncoder[encoding](), () => {}) : source

/** Without `body`, for HEAD, sends the headers without a length (RFC 9110, section 8.6). */
export const sendStream = (
  body: Readable | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  isCompressed: boolean,
): FastifyReply => {
  const encoding = isCompressed ? undefined : findEncoding(request.headers['accept-encoding'])
  if (encoding) reply.header('content-encoding', encoding)
  if (!body) return reply.send()
  const sent = encodeStream(body, encoding)
  finished(sent, { writable: false }, (error) => error && cut(reply.raw))
  reply.send(sent)
  sent.on('data', (part: Buffer | string) => {
    request.bytesStreamed += Buffer.byteLength(part)
  })
  // Needs synchronous onSend hooks, which add headers. Later errors cannot become a problem document.
  reply.raw.flushHeaders()
  return reply
}
