import { constants } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { limitConnections } from '../wire/connections.ts'
import { limitPatience } from '../wire/patience.ts'
import { keepAliveTimeoutMs } from '../wire/prepared.ts'
import { frontStreams } from '../wire/streams.ts'
import { handleInTurn } from './pipelining.ts'

/** A request that has not arrived by then is 408. */
const requestTimeoutMs = 30_000

/** A TLS handshake that has not ended by then is given up. */
const handshakeTimeoutMs = 10_000

/**
 * Requests of one HTTP/2 connection in progress at the same time. Node sets no bound; RFC 9113, section 6.5.2, advises
 * against less than 100. It is announced with the connection; further streams are refused.
 */
export const maxConcurrentStreams = 128

/** Time after which TCP keep-alive probes an idle connection. */
const keepAliveAfterMs = 30_000

/**
 * TLS 1.2 with forward secrecy and authenticated encryption only (RFC 9325, section 4.2; RFC 9113, section 9.2.2), and
 * all suites of TLS 1.3. No renegotiation, which RFC 9113, section 9.2.1, forbids. For each secure context of a server.
 */
export const tlsPolicy = {
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
} as const

type Handler = (request: IncomingMessage, response: ServerResponse) => void

type ListenerOptions = {
  tls: { certFile: string; keyFile: string } | undefined
  maxHeaderBytes: number
  /** See `limitConnections`. */
  maxConnections: number
  /** Called for each connection above `maxConnections`. */
  onFull?: () => void
  /**
   * Time without progress after which an unread answer is given up. Otherwise it would be kept until the client's
   * system closes the connection. Longer than the longest wait for an answer. It may take up to twice this time; see
   * patience.ts.
   */
  unreadTimeoutMs: number
  /** Optional. Answers a request in front of the router. Returns false if it left the request to the router. */
  front?: (request: IncomingMessage, response: ServerResponse) => boolean
  /** The same for a stream of HTTP/2, before it is made a request and a response. */
  frontStream?: (
    stream: ServerHttp2Stream,
    method: unknown,
    target: unknown,
    rawHeaders: readonly string[],
  ) => boolean
}

/** Makes Node's servers in front of a router: HTTP/1.1 in plain, HTTP/2 and HTTP/1.1 over TLS. */
export const createListener = (options: ListenerOptions) => {
  const { tls, maxHeaderBytes, maxConnections, unreadTimeoutMs, frontStream } = options
  const { front = () => false, onFull = () => {} } = options
  // A client that vanished is noticed while it waits for an answer, too.
  const alive = { keepAlive: true, keepAliveInitialDelay: keepAliveAfterMs }
  const http = { maxHeaderSize: maxHeaderBytes, requireHostHeader: false, ...alive }
  const create = (handle: Handler): Server | Http2SecureServer => {
    if (!tls) return createServer(http, handle)
    try {
      const files = { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) }
      const secure = { ...tlsPolicy, handshakeTimeout: handshakeTimeoutMs }
      // HTTP/2's requests and responses are shaped like HTTP/1's.
      const http2 = { allowHTTP1: true, settings: { maxConcurrentStreams } }
      return createSecureServer({ ...http, ...files, ...secure, ...http2 }, handle as never)
    } catch (cause) {
      throw new Error(`TLS_CERT and TLS_KEY cannot be taken: ${(cause as Error).message}`, { cause })
    }
  }
  return (router: Handler): Server | Http2SecureServer => {
    const handle = (request: IncomingMessage, response: ServerResponse) => {
      if (!front(request, response)) router(request, response)
    }
    const server = create((request, response) => handleInTurn(request, response, handle))
    // Node's HTTP/2 server has no options for these.
    const timeouts = { requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs }
    Object.assign(server, timeouts)
    server.on('session', (session: Http2Session) => {
      session.setTimeout(keepAliveTimeoutMs, () => session.destroy())
    })
    limitPatience(server, tls !== undefined, unreadTimeoutMs)
    limitConnections(server, tls !== undefined, maxConnections, onFull)
    if (tls && frontStream) {
      frontStreams(server, (stream, { ':method': method, ':path': target }, _flags, rawHeaders) =>
        frontStream(stream, method, target, rawHeaders),
      )
    }
    // A server may ignore expectations.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response))
    return server
  }
}
