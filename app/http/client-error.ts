import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import { ApiError, type ErrorCode } from '../errors.ts'
import { closeAfterAnswer, findHeaders, hasBegunAnswer } from '../wire/node.ts'
import { answeredMethods } from './methods.ts'
import { problemBody, problemType } from './problem.ts'

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_INVALID_VERSION: 'http_version_not_supported',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** For the client to read a refusal and close. Bytes that it still sends do not extend this. */
const closeAfterMs = 5_000

type ParserError = { code?: string | undefined; rawPacket?: unknown }

const startsWithMethod = /^(?:\r\n)*[!#$%&'*+.^`|~\w-]{1,64} \S/

/** The parser also reports an invalid version if the request line has a wrong end. */
const namesKnownVersion = /^\S+ \S+ HTTP\/1\.[01]\s/

const unknownMethod = (): ApiError =>
  new ApiError('method_not_allowed', { headers: { allow: answeredMethods.join(', ') } })

const targetBeyondAscii = /^\S+ [^ ]*[\x80-\xff]/

/** Creates the 400 for a target with bytes beyond ASCII (RFC 3986, section 2.5). */
export const unescapedTarget = (): ApiError =>
  new ApiError('malformed_request', {
    detail: 'Write every character beyond ASCII in the target as escapes of its UTF-8 bytes: ü is %C3%BC',
  })

/** The headers of PROXY protocol version 1, and of version 2 without the line breaks that the parser skips. */
const proxyProtocol = /^(?:PROXY (?:TCP[46]|UNKNOWN)|(?:\r\n\r\n)?\0\r\nQUIT\n)/

const toProblem = ({ code = '', rawPacket }: ParserError): ApiError => {
  const bytes = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : ''
  if (proxyProtocol.test(bytes)) {
    return new ApiError('malformed_request', {
      detail: 'The service does not read the PROXY protocol: let the proxy send X-Forwarded-For instead',
    })
  }
  if (code === 'HPE_INVALID_VERSION' && namesKnownVersion.test(bytes))
    return new ApiError('malformed_request')
  if (code === 'HPE_INVALID_METHOD' && startsWithMethod.test(bytes)) return unknownMethod()
  if (code === 'HPE_INVALID_URL' && targetBeyondAscii.test(bytes)) return unescapedTarget()
  return new ApiError(codes[code] ?? 'malformed_request')
}

type Refusal = {
  problem: ApiError
  publicUrl: string
  headers: Readonly<Record<string, string>>
}

const prepare = ({ problem, publicUrl, headers }: Refusal) => {
  const requestId = randomUUID()
  const body = problemBody(problem, publicUrl, requestId)
  const fields = {
    ...headers,
    ...problem.extras.headers,
    'request-id': requestId,
    'content-type': problemType,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
  }
  return { status: problem.status, fields, body }
}

/** A client would read the refusal as the earlier response that it waits for, or as a part of it. */
const sendRefusal = (socket: Socket, refusal: Refusal): void => {
  if (closeAfterAnswer(socket)) return
  if (socket.destroyed || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy()
    return
  }
  const { status, fields, body } = prepare(refusal)
  const lines = Object.entries({ ...fields, date: new Date().toUTCString(), connection: 'close' })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n${body}`)
  const timer = setTimeout(() => socket.destroy(), closeAfterMs).unref()
  socket.once('close', () => clearTimeout(timer))
}

const originField = /\r\norigin:[ \t]*([^\r\n]*?)[ \t]*\r\n/i

/** `undefined` if the head was not read. Pages only: the value is not to be trusted. */
const findOrigin = ({ rawPacket }: ParserError, socket: Socket): string | undefined => {
  const headers = findHeaders(socket)
  if (headers) return headers.origin ?? ''
  return Buffer.isBuffer(rawPacket) ? originField.exec(rawPacket.toString('latin1'))?.[1] : undefined
}

/** Responds on the socket to bytes that Node's parser rejects, and closes it. There is no request object. */
export const answerClientError = (
  error: ParserError,
  socket: Socket,
  publicUrl: string,
  getHeaders: (origin: string | undefined) => Readonly<Record<string, string>>,
): void => {
  if (error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  // The rest of the request may have arrived: the service reads no more until it has answered earlier requests.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.isPaused()) return
  const headers = getHeaders(findOrigin(error, socket))
  sendRefusal(socket, { problem: toProblem(error), publicUrl, headers })
}

/** Responds to CONNECT with 405. `answer`: a socket over HTTP/1 and a response over HTTP/2. */
export const answerConnect = (
  answer: Socket | Http2ServerResponse,
  publicUrl: string,
  headers: Readonly<Record<string, string>>,
): void => {
  const refusal = { problem: unknownMethod(), publicUrl, headers }
  if ('stream' in answer) {
    const { status, fields, body } = prepare(refusal)
    answer.writeHead(status, fields).end(body)
    return
  }
  answer.on('error', () => answer.destroy()).resume()
  sendRefusal(answer, refusal)
}
