import { once } from 'node:events'
import { type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http'
import { connect } from 'node:http2'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import { buffer } from 'node:stream/consumers'

/** `url`: scheme, host and port. Without `isHttp2` the request uses HTTP/1.1, over TLS if the scheme is https. */
export type Request = {
  url: string
  path: string
  method?: 'GET' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string
  isHttp2?: boolean
}

/** `fields` keep their order and spelling. */
export type WholeAnswer = { status: number; fields: [name: string, value: string][]; body: Buffer }

/** The bench's certificate is self-signed. */
const rejectUnauthorized = false

const askHttp1 = async ({ url, path, method, headers, body }: Request): Promise<WholeAnswer> => {
  const isTls = url.startsWith('https:')
  // A keep-alive connection, as under load: its answers have different fields.
  const agent = isTls
    ? new TlsAgent({ keepAlive: true, rejectUnauthorized })
    : new PlainAgent({ keepAlive: true })
  const request = (isTls ? requestTls : requestPlain)(url + path, {
    method: method ?? 'GET',
    headers: { ...headers },
    agent,
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const bytes = await buffer(response)
  agent.destroy()
  const { rawHeaders, statusCode = 0 } = response
  const fields = rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] as string]] : [],
  )
  return { status: statusCode, fields, body: bytes }
}

const askHttp2 = async ({ url, path, method, headers, body }: Request): Promise<WholeAnswer> => {
  const session = connect(url, { rejectUnauthorized })
  const stream = session.request({ ':path': path, ':method': method ?? 'GET', ...headers })
  stream.end(body)
  const [answered] = (await once(stream, 'response')) as [Record<string, string | number | undefined>]
  const bytes = await buffer(stream)
  session.close()
  const fields = Object.entries(answered).flatMap(([name, value]): [string, string][] =>
    name.startsWith(':') ? [] : [[name, String(value)]],
  )
  return { status: Number(answered[':status']), fields, body: bytes }
}

/** Sends one request over a new connection. Rejects if the server does not answer. */
export const ask = (request: Request): Promise<WholeAnswer> =>
  request.isHttp2 ? askHttp2(request) : askHttp1(request)

/** Fields whose values differ between two requests. */
const momentary = new Set(['date', 'request-id', 'data-as-of', 'server-timing', 'ratelimit'])

/** Returns status, body and fields as lines, without the values of `momentary` fields. */
const describe = ({ status, fields, body }: WholeAnswer): string[] => {
  const lines = fields.map(([name, value]) =>
    momentary.has(name.toLowerCase()) ? name : `${name}: ${value}`,
  )
  return [`status ${status}`, ...lines.sort(), `body of ${body.length} bytes: ${body}`]
}

const longestLine = 300

/**
 * Returns the first difference between two answers as a sentence. `undefined` if only `momentary` values
 * differ.
 */
export const findDifference = (service: WholeAnswer, reference: WholeAnswer): string | undefined => {
  const [ours, theirs] = [describe(service), describe(reference)]
  const at = ours.findIndex((line, index) => line !== theirs[index])
  if (at === -1 && ours.length === theirs.length) return undefined
  const cut = (line = 'nothing') => line.slice(0, longestLine)
  return `the service sends "${cut(ours.at(at))}", the reference "${cut(theirs.at(at))}"`
}
