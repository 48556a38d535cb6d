import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import { headLine, prepareBody, type SendPrepared, statusLine } from '../wire/prepared.ts'
import type { CachedResponse } from './cached-responses.ts'

/** Must be printable ASCII: they are written without another check. */
export type PerRequestFields = Readonly<{
  requestId: string
  asOf: string
  ms: number
  rateLimit: string
  rateLimitPolicy: string
  link: string | undefined
}>

/** Stores head and body. The head has `content-length`, but neither `date` nor the fields of the request. */
const getText = (cached: CachedResponse): NonNullable<CachedResponse['text']> => {
  if (cached.text) return cached.text
  const { status, fields } = cached
  let head = statusLine(status)
  for (let i = 0; i < fields.length; i += 2) head += headLine(fields[i] as string, fields[i + 1] as string)
  cached.text = { head, body: prepareBody(cached.body) }
  return cached.text
}

/** Two decimals, built from integers: V8 formats these faster than fractions. */
const timing = (ms: number): string => {
  const hundredths = Math.round(ms * 100)
  const rest = hundredths % 100
  return `total;dur=${(hundredths - rest) / 100}.${rest < 10 ? '0' : ''}${rest}`
}

/** Sends a cached response over HTTP/1.1. Requires `canSendPrepared`. */
export const sendHttp1 = (
  sendPrepared: SendPrepared,
  response: ServerResponse,
  cached: CachedResponse,
  perRequest: PerRequestFields,
): void => {
  const { requestId, asOf, ms, rateLimit, rateLimitPolicy, link } = perRequest
  const { head, body } = getText(cached)
  const fields = `request-id: ${requestId}\r\ndata-as-of: ${asOf}\r\nserver-timing: ${timing(ms)}\r\nratelimit: ${rateLimit}\r\nratelimit-policy: ${rateLimitPolicy}\r\n`
  const all = link === undefined ? head + fields : head + fields + headLine('link', link)
  sendPrepared(response, cached.status, all, body)
}

/** If a client resets a stream, Node emits an error and destroys the stream. */
const ignore = (): void => {}

/** Sends a cached response over HTTP/2. */
export const sendHttp2 = (
  stream: ServerHttp2Stream,
  cached: CachedResponse,
  perRequest: PerRequestFields,
): void => {
  const { requestId, asOf, ms, rateLimit, rateLimitPolicy, link } = perRequest
  const { status, fields, body } = cached
  const head = [':status', status as unknown as string, ...fields]
  head.push('request-id', requestId, 'data-as-of', asOf, 'server-timing', timing(ms))
  head.push('ratelimit', rateLimit, 'ratelimit-policy', rateLimitPolicy)
  if (link !== undefined) head.push('link', link)
  stream.on('error', ignore)
  stream.respond(head, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
}
