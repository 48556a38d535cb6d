import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, type ErrorCode } from '../errors.ts'
import { hasBegunAnswer } from '../wire/node.ts'
import { answeredMethods } from './methods.ts'
import { problemBody, problemType } from './problem.ts'

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_INVALID_VERSION: 'http_version_not_supported',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Node's error, with the bytes that its parser read last. */
type ParserError = { code?: string | undefined; rawPacket?: unknown }

/** RFC 9110, section 9.1: a method is a token. */
const startsWithMethod = /^(?:\r\n)*[!#$%&'*+.^`|~\w-]{1,64} \S/

/** The parser also speaks of a version where a line ends wrongly after a good one. */
const namesKnownVersion = /^\S+ \S+ HTTP\/1\.[01]\s/

const targetBeyondAscii = /^\S+ [^ ]*[\x80-\xff]/

/** Returns 400 for a target with bytes beyond ASCII, which RFC 3986, section 2.5, wants as escapes. */
export const unescapedTarget = (): ApiError =>
  new ApiError('malformed_request', {
    detail: 'Write every character beyond ASCII in the target as escapes of its UTF-8 bytes: ü is %C3%BC',
  })

/** A method that no server knows is refused as one that no route takes; other bytes are no request at all. */
const toProblem = ({ code = '', rawPacket }: ParserError): ApiError => {
  const bytes = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : ''
  if (code === 'HPE_INVALID_VERSION' && namesKnownVersion.test(bytes))
    return new ApiError('malformed_request')
  if (code === 'HPE_INVALID_METHOD' && startsWithMethod.test(bytes))
    return new ApiError('method_not_allowed', { headers: { allow: answeredMethods.join(', ') } })
  if (code === 'HPE_INVALID_URL' && targetBeyondAscii.test(bytes)) return unescapedTarget()
  return new ApiError(codes[code] ?? 'malformed_request')
}

/**
 * Answers what Node's parser refuses, on the raw socket: there is no request to answer to. The connection
 * ends, because what follows on it cannot be told apart. Where an answer has begun it ends at once: another one would
 * be read as a part of it.
 */
export const answerClientError = (
  error: ParserError,
  socket: Socket,
  publicUrl: string,
  headers: Readonly<Record<string, string>>,
): void => {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy()
    return
  }
  const problem = toProblem(error)
  const requestId = randomUUID()
  const body = problemBody(problem, publicUrl, requestId)
  const lines = Object.entries({
    ...headers,
    ...problem.extras.headers,
    date: new Date().toUTCString(),
    'request-id': requestId,
    'content-type': problemType,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`)
}
