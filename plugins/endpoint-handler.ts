import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LiveAnswer } from '../app/export/exports.ts'
import { requireAcceptable } from '../app/http/media-type.ts'
import { type Endpoint, type Exporting, jsonTypes } from './endpoint.ts'
import { formatLink, formatLinks, formatTiming, sendEntry, sendRepresentation } from './entry-reply.ts'
import { refundSurcharge } from './rate-limit.ts'
import { sendStream } from './stream-reply.ts'

type CachedEndpoint = Extract<Endpoint, { answer: unknown }>
type StateEndpoint = Extract<Endpoint, { state: unknown }>

const sendState = async (row: StateEndpoint, { asked, account }: FastifyRequest, reply: FastifyReply) => {
  if (asked.canonical) reply.header('link', formatLink(asked.canonical, 'canonical'))
  const state = await row.state({ ...asked, limits: account?.use() ?? [] })
  return reply.headers({ 'cache-control': 'no-store', 'server-timing': formatTiming(reply) }).send(state)
}

export const createHandler =
  (row: Endpoint, publicUrl: string) => async (request: FastifyRequest, reply: FastifyReply) => {
    if ('state' in row) return sendState(row, request, reply)
    const { query, asked } = request
    const { canonical, noCache, rawQuery } = asked
    if ('ending' in asked) {
      const { respond } = 'respond' in row ? row : (row.exporting as Exporting)
      const answer = await respond({ ...asked, query })
      if (answer) return sendLive(answer, { publicUrl, canonical }, request, reply)
      refundSurcharge(request)
      requireAcceptable(request.headers.accept, rawQuery, jsonTypes)
    }
    const answer = await (row as CachedEndpoint).answer({ ...asked, query })
    const links = { publicUrl, canonical }
    request.cached = { row, asked, answer, links }
    return sendEntry(answer, request, reply, { ...links, noCache })
  }

const sendLive = (
  { type, body, headers, next, isCompressed = false }: LiveAnswer,
  options: Readonly<{ publicUrl: string; canonical: string | undefined }>,
  request: FastifyRequest,
  reply: FastifyReply,
) => {
  const link = formatLinks(next, options)
  if (link !== undefined) reply.header('link', link)
  reply.headers({ ...headers, 'cache-control': 'no-store', 'server-timing': formatTiming(reply) }).type(type)
  // `sendRepresentation` sends no ETag.
  if (Buffer.isBuffer(body)) return sendRepresentation({ body, etag: '', encoded: new Map() }, reply)
  return sendStream(body, request, reply, isCompressed)
}
