import type { ServerResponse } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import { headLine, prepareBody, sendPrepared, statusLine } from '../wire/prepared.ts'
import type { CachedResponse } from './cached-responses.ts'

/** Fields that differ between requests. Must be printable ASCII, since nothing checks them again. */
export type PerRequestFields = Readonly<{
  requestId: string
  asOf: string
  ms: number
  rateLimit: string
  rateLimitPolicy: string
  link: string | undefined
}>

/** The HTTP/1.1 form: the head without its end, and the body. */
const getText = (reply: CachedResponse): NonNullable<CachedResponse['text']> => {
  if (reply.text) return reply.text
  const { status, fields } = reply
  let head = statusLine(status)
  for (let i = 0; i < fields.length; i += 2) head += headLine(fields[i] as string, fields[i + 1] as string)
  reply.text = { head, body: prepareBody(reply.body) }
  return reply.text
}

/** Two decimals, from integers, because V8 formats them without arithmetic. */
const timing = (ms: number): string => {
  const hundredths = Math.round(ms * 100)
  const rest = hundredths % 100
  return `total;dur=${(hundredths - rest) / 100}.${rest < 10 ? '0' : ''}${rest}`
}

/** Sends a stored reply over HTTP/1.1. */
export const sendHttp1 = (
  response: ServerResponse,
  reply: CachedResponse,
  moment: PerRequestFields,
): void => {
  const { requestId, asOf, ms, rateLimit, rateLimitPolicy, link } = moment
  const { head, body } = getText(reply)
  const fields = `request-id: ${requestId}\r\ndata-as-of: ${asOf}\r\nserver-timing: ${timing(ms)}\r\nratelimit: ${rateLimit}\r\nratelimit-policy: ${rateLimitPolicy}\r\n`
  const all = link === undefined ? head + fields : head + fields + headLine('link', link)
  sendPrepared(response, reply.status, all, body)
}

/** Node itself destroys a stream that its client resets with an error. */
const ignore = (): void => {}

/** Sends a stored reply over HTTP/2. */
export const sendHttp2 = (
  stream: ServerHttp2Stream,
  reply: CachedResponse,
  moment: PerRequestFields,
): void => {
  const { requestId, asOf, ms, rateLimit, rateLimitPolicy, link } = moment
  const { status, fields, body } = reply
  const head = [':status', status as unknown as string, ...fields]
  head.push('request-id', requestId, 'data-as-of', asOf, 'server-timing', timing(ms))
  head.push('ratelimit', rateLimit, 'ratelimit-policy', rateLimitPolicy)
  if (link !== undefined) head.push('link', link)
  stream.on('error', ignore)
  stream.respond(head, { endStream: body === undefined })
  if (body !== undefined) stream.end(body)
}
