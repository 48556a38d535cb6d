import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { ApiError, type ErrorCode } from '../errors.ts'
import { STATUS_CODES } from './node-http.ts'
import { problemBody, problemType } from './problem.ts'

const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** The answer that is under way on a connection, in Node's own place for it; its own handler looks there, too. */
type Answering = Socket & { _httpMessage?: { headersSent: boolean } | null }

/**
 * Answers what Node's parser refuses, on the raw socket: there is no request to answer to. The connection
 * ends, because what follows on it cannot be told apart. Where an answer has begun it ends at once: another one would
 * be read as a part of it.
 */
export const answerClientError = (
  error: { code?: string | undefined },
  socket: Socket,
  publicUrl: string,
  headers: Readonly<Record<string, string>>,
): void => {
  const hasBegun = (socket as Answering)._httpMessage?.headersSent === true
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || hasBegun) {
    socket.destroy()
    return
  }
  const problem = new ApiError(codes[error.code ?? ''] ?? 'malformed_request')
  const requestId = randomUUID()
  const body = problemBody(problem, publicUrl, requestId)
  const lines = Object.entries({
    ...headers,
    date: new Date().toUTCString(),
    'request-id': requestId,
    'content-type': problemType,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`)
}
