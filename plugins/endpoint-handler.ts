import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReadResult } from '../app/cache/freshness.ts'
import type { LiveAnswer } from '../app/export/exports.ts'
import { getChoice, requireAcceptable, typeByFormat } from '../app/http/media-type.ts'
import { type Endpoint, type Exporting, jsonTypes, listTypes } from './endpoint.ts'
import {
  type EntryReplyOptions,
  formatLink,
  formatLinks,
  formatTiming,
  sendEntry,
  sendRepresentation,
} from './entry-reply.ts'
import { refundSurcharge } from './rate-limit.ts'
import { sendStream } from './stream-reply.ts'

type CachedEndpoint = Extract<Endpoint, { answer: unknown }>
type StateEndpoint = Extract<Endpoint, { state: unknown }>
type Acceptance = (accept: string | undefined) => boolean

const sendState = async (row: StateEndpoint, { asked, account }: FastifyRequest, reply: FastifyReply) => {
  if (asked.canonical) reply.header('link', formatLink(asked.canonical, 'canonical'))
  const state = await row.state({ ...asked, limits: account?.use() ?? [] })
  return reply.headers({ 'cache-control': 'no-store', 'server-timing': formatTiming(reply) }).send(state)
}

export const createHandler = (row: Endpoint, publicUrl: string) => {
  const choose = getChoice(listTypes(row))
  const acceptsJson: Acceptance = (accept) => choose(accept) === jsonTypes[0]

  return async (request: FastifyRequest, reply: FastifyReply) => {
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
    const options = { publicUrl, canonical, noCache }
    noteRepeatable(row, acceptsJson, request, answer, options)
    return sendEntry(answer, request, reply, options)
  }
}

const noteRepeatable = (
  row: Endpoint,
  acceptsJson: Acceptance,
  request: FastifyRequest,
  answer: ReadResult,
  options: EntryReplyOptions,
) => {
  // For the edge. From the second request on, because most queries are sent only once.
  const isPlain =
    request.method === 'GET' && !options.noCache && answer.outcome === 'memory' && !answer.staleSeconds
  const scope = row.scope ?? row.getScope?.(request.params as Record<string, string>)
  if (!isPlain || row.demo === false || row.minuteCost || scope === undefined) return
  const { rawQuery } = request.asked
  const wanted = typeByFormat(rawQuery)
  const knownTarget = {
    route: request.routeOptions.url ?? '',
    endpoint: request.endpointName,
    scopes: [scope, ...(row.listScopes?.(rawQuery) ?? [])],
    isAcceptable: wanted === undefined ? acceptsJson : () => wanted === jsonTypes[0],
    formatNextLink: memoizeLast((next: string | undefined) => formatLinks(next, options)),
  }
  request.repeatable = { knownTarget, answer }
}

const memoizeLast = <A, R>(compute: (argument: A) => R): ((argument: A) => R) => {
  let last: { argument: A; result: R } | undefined
  return (argument) => {
    if (last?.argument !== argument || !last) last = { argument, result: compute(argument) }
    return last.result
  }
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
