import { constants, type Http2ServerResponse } from 'node:http2'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findEncoding } from '../app/http/negotiation.ts'
import { encodeStream } from '../app/http/stream-encodings.ts'

/**
 * Sends what comes as fast as the client takes it, in a content coding unless it is compressed already. Where it fails the answer is cut: over
 * HTTP/1.1 the last chunk is missing, over HTTP/2 the stream is reset with an error. Fastify alone would reset it
 * with NO_ERROR, which clients take for an end.
 */
export const sendStream = (
  body: Readable,
  request: FastifyRequest,
  reply: FastifyReply,
  isCompressed: boolean,
): FastifyReply => {
  const encoding = isCompressed ? undefined : findEncoding(request.headers['accept-encoding'])
  if (encoding) reply.header('content-encoding', encoding)
  const sent = encodeStream(body, encoding)
  const { stream } = reply.raw as unknown as Partial<Http2ServerResponse>
  if (stream) sent.once('error', () => stream.headersSent && stream.close(constants.NGHTTP2_INTERNAL_ERROR))
  return reply.send(sent)
}
