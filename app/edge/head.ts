import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import { isHost } from '../http/fields.ts'
import { headLine, prepareBody, type SendPrepared, statusLine } from '../wire/prepared.ts'
import type { CachedResponse } from './cached-responses.ts'

export const field = {
  host: 0,
  authorization: 1,
  accept: 2,
  acceptEncoding: 3,
  ifNoneMatch: 4,
  forwardedProto: 5,
  cacheControl: 6,
  traceparent: 7,
} as const

/** Values by the indexes of `field`. V8 writes elements of an array faster than named properties. */
export type RequestHead = readonly (string | undefined)[]

const refused = -1
/** Index by field name. A request with a refused field is left to the router. */
const places: Readonly<Record<string, number>> = {
  host: field.host,
  authorization: field.authorization,
  accept: field.accept,
  'accept-encoding': field.acceptEncoding,
  'if-none-match': field.ifNoneMatch,
  'x-forwarded-proto': field.forwardedProto,
  'cache-control': field.cacheControl,
  traceparent: field.traceparent,
  ...Object.fromEntries(
    ['origin', 'pragma', 'expect', 'upgrade', 'if-match', 'content-length', 'transfer-encoding'].map(
      (name) => [name, refused],
    ),
  ),
}
/** By the length of the name: most other fields are skipped without reading their names. */
const byLength = Map.groupBy(Object.entries(places), ([name]) => name.length)
const noFields: readonly undefined[] = Object.values(field).map(() => undefined)

const findPlace = (name: string): number | undefined => {
  const candidates = byLength.get(name.length)
  if (!candidates) return undefined
  const lowerCase = name.toLowerCase()
  for (const [known, place] of candidates) if (lowerCase === known) return place
  return undefined
}

/**
 * Parses Node's `rawHeaders` (name, value, …): Node's headers object costs more than the rest of the edge.
 * `undefined` if the router must answer: a refused or repeated field, an invalid Host, over `maxBytes`.
 */
export const readHead = (
  rawHeaders: readonly string[],
  isHttp2: boolean,
  maxBytes: number,
): RequestHead | undefined => {
  const head: (string | undefined)[] = noFields.slice()
  let bytes = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    const value = rawHeaders[i + 1] as string
    bytes += name.length + value.length
    const place = findPlace(name)
    if (place === undefined) continue
    if (place === refused || head[place] !== undefined) return undefined
    head[place] = value
  }
  const host = head[field.host]
  const isValid = bytes <= maxBytes && (host === undefined ? isHttp2 : isHost(host))
  return isValid ? head : undefined
}

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
