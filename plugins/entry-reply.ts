import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../app/cache/question.ts'
import { ApiError } from '../app/errors.ts'
import { formatStale } from '../app/http/cache-status.ts'
import { isNotModified, isPreconditionFailed } from '../app/http/conditional.ts'
import type { Representation } from '../app/http/encodings.ts'
import { encodedBody, isEncodable } from '../app/http/encodings.ts'
import { findEncoding } from '../app/http/negotiation.ts'

export type EntryReplyOptions = {
  publicUrl: string
  /** The canonical address, where the request came by another form of it. */
  canonical: string | undefined
  noCache: boolean
}

/** RFC 9211; `stored` only of what memory or Redis has from now on. */
const cacheStatus = ({ outcome, staleSeconds, isStored }: Answer, noCache: boolean): string => {
  if (staleSeconds !== undefined) return formatStale(staleSeconds)
  if (outcome === 'memory') return 'certdata; hit'
  if (outcome === 'redis') return 'certdata; hit; detail=redis'
  return `certdata; fwd=${noCache ? 'request' : 'uri-miss'}${isStored ? '; stored' : ''}`
}

/** Proxies refuse long header fields; `page.next_cursor` is always there. */
const maxLinkBytes = 2048

/** What may stand between < and > of a Link (RFC 8288, RFC 3986): the rest is escaped. */
const escapeUri = (uri: string) =>
  uri.replace(
    /[^\x21-\x7e]|[<>"\\^`{|}]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )

/** One link (RFC 8288). */
export const formatLink = (uri: string, relation: string): string => `<${escapeUri(uri)}>; rel="${relation}"`

/** `Link` of an entry, by the path and query of its next page; undefined: none. */
export const formatLinks = (
  next: string | undefined,
  { publicUrl, canonical }: Pick<EntryReplyOptions, 'publicUrl' | 'canonical'>,
): string | undefined => {
  const parts: string[] = []
  if (next !== undefined) parts.push(formatLink(publicUrl + next, 'next'))
  if (canonical !== undefined) parts.push(formatLink(canonical, 'canonical'))
  return joinLinks(parts)
}

/** The links that are short enough to send; undefined: none. */
export const joinLinks = (parts: readonly string[]): string | undefined => {
  const fitting = parts.filter((part) => part.length <= maxLinkBytes)
  return fitting.length > 0 ? fitting.join(', ') : undefined
}

/** Server-Timing: what it took until now. */
export const formatTiming = (reply: FastifyReply): string => `total;dur=${reply.elapsedTime.toFixed(2)}`

/**
 * Sends stored bytes: conditions first, then a content coding. A 304 carries what a cache must update
 * (RFC 9110 §15.4.5).
 */
export const sendEntry = (
  answer: Answer,
  request: FastifyRequest,
  reply: FastifyReply,
  options: EntryReplyOptions,
): FastifyReply | Promise<FastifyReply> => {
  const { entry } = answer
  const { headers } = request
  if (isPreconditionFailed(headers['if-match'])) {
    throw new ApiError('precondition_failed', {
      detail: 'The service uses weak ETags, which never match If-Match',
    })
  }
  const link = formatLinks(entry.next, options)
  request.answerSource = answer.staleSeconds === undefined ? answer.outcome : 'stale'
  reply.headers({
    etag: entry.etag,
    'cache-control': 'private, no-cache',
    // Already set if rights could not be known. Then that label stays.
    'cache-status': reply.getHeader('cache-status') ?? cacheStatus(answer, options.noCache),
    'data-as-of': answer.asOf,
    'server-timing': formatTiming(reply),
  })
  if (link !== undefined) reply.header('link', link)
  if (entry.definition !== undefined) reply.header('definition-revision', entry.definition)
  if (isNotModified(headers['if-none-match'], entry.etag)) return reply.code(304).send()
  request.rowsRead = entry.rows ?? 0
  reply.type('application/json')
  return sendRepresentation(entry, request, reply)
}

const sendRepresentation = (
  entry: Representation,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> => {
  const encoding = isEncodable(entry) ? findEncoding(headers['accept-encoding']) : undefined
  if (!encoding) return reply.send(entry.body)
  reply.header('content-encoding', encoding)
  return encodedBody(entry, encoding).then((body) => reply.send(body))
}

/** Sends bytes that are not kept, in a content coding. */
export const sendBytes = (body: Buffer, request: FastifyRequest, reply: FastifyReply) =>
  sendRepresentation({ body, etag: '', encoded: new Map() }, request, reply)
