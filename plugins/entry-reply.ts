import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ReadResult } from '../app/cache/freshness.ts'
import { ApiError } from '../app/errors.ts'
import { encodedBody, isEncodable, type Representation } from '../app/http/encodings.ts'
import { formatStale, isNotModified, isPreconditionFailed } from '../app/http/fields.ts'
import { jsonType } from '../app/http/formats.ts'
import { findEncoding } from '../app/http/negotiation.ts'
import { packQuery, splitTarget } from '../app/http/pairs.ts'

export type LinkOptions = {
  publicUrl: string
  canonical: string | undefined
}

/** `type`: of the body. Defaults to JSON. */
export type EntryReplyOptions = LinkOptions & { noCache: boolean; type?: string }

/** RFC 9211. */
const cacheStatus = (result: ReadResult, noCache: boolean): string => {
  const { outcome, staleSeconds, isStored, isDistrusted } = result
  if (staleSeconds !== undefined) return formatStale(staleSeconds)
  const detail = isDistrusted ? '; detail=distrusted' : ''
  if (outcome === 'memory') return `certdata; hit${detail}`
  if (outcome === 'redis') return `certdata; hit${detail || '; detail=redis'}`
  return `certdata; fwd=${noCache ? 'request' : 'uri-miss'}${isStored ? '; stored' : ''}${detail}`
}

/** A longer link has a packed query. See docs/decisions/0180-long-links-are-packed.md. */
const longestPlainBytes = 1024

/** RFC 8288 and RFC 3986. Also `,` and `;`, at which some parsers split the field. */
const escapeUri = (uri: string) =>
  uri.replace(
    /[^\x21-\x7e]|[<>"\\^`{|},;]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )

export const formatLink = (uri: string, relation: string): string => `<${escapeUri(uri)}>; rel="${relation}"`

/** Returns `Vary` with these fields and those that other plugins, such as CORS, have set. */
export const addVary = (reply: FastifyReply, fields: string): string =>
  [reply.getHeader('vary'), fields].filter((each) => each !== undefined).join(', ')

const formatNext = (address: string): string => {
  const plain = formatLink(address, 'next')
  if (plain.length <= longestPlainBytes) return plain
  const { rawQuery } = splitTarget(address)
  const packed = formatLink(
    address.replace(rawQuery, () => packQuery(rawQuery)),
    'next',
  )
  return packed.length < plain.length ? packed : plain
}

/** `undefined` if there are no links. */
export const formatLinks = (
  next: string | undefined,
  { publicUrl, canonical }: LinkOptions,
): string | undefined => {
  const following = next === undefined ? undefined : formatNext(publicUrl + next)
  // A long link names the canonical path, too.
  const isFull = following !== undefined && following.length > longestPlainBytes
  const whole = canonical === undefined || isFull ? undefined : formatLink(canonical, 'canonical')
  const links = [following, whole].filter((link) => link !== undefined)
  return links.length > 0 ? links.join(', ') : undefined
}

export const formatTiming = (reply: FastifyReply): string => `total;dur=${reply.elapsedTime.toFixed(2)}`

/** A 304 has the headers that update caches (RFC 9110 §15.4.5). */
export const sendEntry = (
  answer: ReadResult,
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
    // Set already if current rights could not be read.
    'cache-status': reply.getHeader('cache-status') ?? cacheStatus(answer, options.noCache),
    'data-as-of': answer.asOf,
    'server-timing': formatTiming(reply),
  })
  if (link !== undefined) reply.header('link', link)
  if (entry.definition !== undefined) reply.header('definition-revision', entry.definition)
  if (!isNotModified(request.headers['if-none-match'], entry.etag)) request.rowsRead = entry.rows ?? 0
  return sendTagged(entry, options.type ?? jsonType, reply)
}

export const sendRepresentation = (
  entry: Representation,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> => {
  const encoding = isEncodable(entry) ? findEncoding(reply.request.headers['accept-encoding']) : undefined
  if (!encoding) return reply.send(entry.body)
  reply.header('content-encoding', encoding)
  return encodedBody(entry, encoding).then((body): FastifyReply => reply.send(body))
}

export const sendTagged = (
  entry: Representation,
  type: string,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> => {
  reply.header('etag', entry.etag)
  if (isNotModified(reply.request.headers['if-none-match'], entry.etag)) return reply.code(304).send()
  return sendRepresentation(entry, reply.type(type))
}
