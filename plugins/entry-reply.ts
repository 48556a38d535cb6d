import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../app/cache/question.ts'
import { ApiError } from '../app/errors.ts'
import { encodedBody, isEncodable, type Representation } from '../app/http/encodings.ts'
import { formatStale, isNotModified, isPreconditionFailed } from '../app/http/fields.ts'
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
const joinLinks = (parts: readonly string[]): string | undefined => {
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
  if (isPreconditionFailed(request.headers['if-match'])) {
    throw new ApiError('precondition_failed', {
      detail: 'The service uses weak ETags, which never match If-Match',
    })
  }
  const link = formatLinks(entry.next, options)
  request.answerSource = answer.staleSeconds === undefined ? answer.outcome : 'stale'
  reply.headers({
    'cache-control': 'private, no-cache',
    // Already set if rights could not be known. Then that label stays.
    'cache-status': reply.getHeader('cache-status') ?? cacheStatus(answer, options.noCache),
    'data-as-of': answer.asOf,
    'server-timing': formatTiming(reply),
  })
  if (link !== undefined) reply.header('link', link)
  if (entry.definition !== undefined) reply.header('definition-revision', entry.definition)
  if (!isNotModified(request.headers['if-none-match'], entry.etag)) request.rowsRead = entry.rows ?? 0
  return sendTagged(entry, 'application/json', reply)
}

/** Sends a body in the content coding that its client likes best. */
export const sendRepresentation = (
  entry: Representation,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> => {
  const encoding = isEncodable(entry) ? findEncoding(reply.request.headers['accept-encoding']) : undefined
  if (!encoding) return reply.send(entry.body)
  reply.header('content-encoding', encoding)
  return encodedBody(entry, encoding).then((body): FastifyReply => reply.send(body))
}

/** Sends a body with its tag, or 304 to a client that has it. */
export const sendTagged = (
  entry: Representation,
  type: string,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> => {
  reply.header('etag', entry.etag)
  if (isNotModified(reply.request.headers['if-none-match'], entry.etag)) return reply.code(304).send()
  return sendRepresentation(entry, reply.type(type))
}
