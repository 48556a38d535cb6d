import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { limitPatience } from '../wire/patience.ts'
import { keepAliveTimeoutMs } from '../wire/prepared.ts'
import { frontStreams } from '../wire/streams.ts'

/** A request that has not arrived by then is 408. */
const requestTimeoutMs = 30_000

/**
 * Requests of one HTTP/2 connection that are under way at once. Node sets no bound; RFC 9113, section 6.5.2, advises
 * against less than 100. It is announced with the connection; who asks for more at once is refused those streams.
 */
export const maxConcurrentStreams = 128

/** Idle for so long, a connection is asked whether anybody is there. */
const keepAliveAfterMs = 30_000

type Handler = (request: IncomingMessage, response: ServerResponse) => void

type ListenerOptions = {
  tls: { certFile: string; keyFile: string } | undefined
  maxHeaderBytes: number
  /**
   * An answer of which nothing is taken for so long is given up: it would be kept for as long as its client's system
   * says that it is there. Longer than an answer is ever waited for. It may take twice as long; see patience.ts.
   */
  unreadTimeoutMs: number
  /** Answers a request in front of the router. Returns false if it left the request to the router; absent: always. */
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
  const { tls, maxHeaderBytes, unreadTimeoutMs, front = () => false, frontStream } = options
  // A client that is gone without a word is noticed while it waits for an answer, too.
  const alive = { keepAlive: true, keepAliveInitialDelay: keepAliveAfterMs }
  // Requests without a body are not made readable streams first: nobody reads them.
  const lean = { maxHeaderSize: maxHeaderBytes, requireHostHeader: false, optimizeEmptyRequests: true }
  const http = { ...lean, ...alive }
  const create = (handle: Handler): Server | Http2SecureServer => {
    if (!tls) return createServer(http, handle)
    try {
      const files = { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) }
      // HTTP/2's requests and responses are shaped like HTTP/1's.
      const http2 = { allowHTTP1: true, settings: { maxConcurrentStreams } }
      return createSecureServer({ ...http, ...files, ...http2 }, handle as never)
    } catch (cause) {
      throw new Error(`TLS_CERT and TLS_KEY cannot be taken: ${(cause as Error).message}`, { cause })
    }
  }
  return (router: Handler): Server | Http2SecureServer => {
    const server = create((request, response) => {
      if (!front(request, response)) router(request, response)
    })
    // What Node's HTTP/2 server does not take as options.
    const timeouts = { requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs }
    Object.assign(server, timeouts)
    server.on('session', (session: Http2Session) => {
      session.setTimeout(keepAliveTimeoutMs, () => session.destroy())
    })
    limitPatience(server, tls !== undefined, unreadTimeoutMs)
    if (tls && frontStream) {
      frontStreams(server, (stream, { ':method': method, ':path': target }, _flags, rawHeaders) =>
        frontStream(stream, method, target, rawHeaders),
      )
    }
    // A server may pass over expectations.
    server.on('checkExpectation', (request, response) => server.emit('request', request, response))
    return server
  }
}
