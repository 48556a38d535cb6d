import { constants } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2'
import { frontStreams } from '../wire/streams.ts'
import type { Connections } from './connections.ts'
import { handleInTurn } from './pipelining.ts'

const requestTimeoutMs = 30_000

/** A slow request ends at most this much later. */
const requestCheckMs = 5_000

const handshakeTimeoutMs = 10_000

/** Node has no limit. RFC 9113, section 6.5.2, advises at least 100. */
export const maxConcurrentStreams = 128

const keepAliveAfterMs = 30_000

/** Only forward secrecy and AEAD (RFC 9325, section 4.2), no renegotiation (RFC 9113, sections 9.2.1 and 9.2.2). */
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
  /** How long an idle connection or session stays open. */
  keepAliveTimeoutMs: number
  /** For one server. */
  connections: Connections
  /** Called before the router. Returns false if the router must answer. */
  front?: (request: IncomingMessage, response: ServerResponse) => boolean
  frontStream?: FrontStream
}

/** Like `front`, before Node creates the request and response of an HTTP/2 stream. */
export type FrontStream = (
  stream: ServerHttp2Stream,
  method: unknown,
  target: unknown,
  rawHeaders: readonly string[],
) => boolean

/** Returns a function that creates a server for a router. It throws if the certificate cannot be used. */
export const createListener = (options: ListenerOptions) => {
  const { tls, maxHeaderBytes, keepAliveTimeoutMs, connections, front = () => false, frontStream } = options
  // Detects a client that vanished while it waits.
  const alive = { keepAlive: true, keepAliveInitialDelay: keepAliveAfterMs }
  const slow = { connectionsCheckingInterval: requestCheckMs }
  const http = { maxHeaderSize: maxHeaderBytes, requireHostHeader: false, ...alive, ...slow }
  const create = (handle: Handler): Server | Http2SecureServer => {
    if (!tls) return createServer(http, handle)
    try {
      const files = { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) }
      const secure = { ...tlsPolicy, handshakeTimeout: handshakeTimeoutMs }
      // Node's HTTP/2 requests and responses have the same interface.
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
    // The options of Node's HTTP/2 server lack these.
    Object.assign(server, { requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveTimeoutMs })
    connections.watch(server, tls !== undefined, keepAliveTimeoutMs)
    if (tls && frontStream) {
      frontStreams(server, (stream, { ':method': method, ':path': target }, _flags, rawHeaders) =>
        frontStream(stream, method, target, rawHeaders),
      )
    }
    // Ignores the expectation, as a server may (RFC 9110, section 10.1.1).
    server.on('checkExpectation', (request, response) => server.emit('request', request, response))
    return server
  }
}
