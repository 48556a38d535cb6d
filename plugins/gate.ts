import type { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../app/errors.ts'
import { createAddressRanges, createClientAddress } from '../app/http/client-address.ts'
import { unescapedTarget } from '../app/http/client-error.ts'
import { isHost } from '../app/http/fields.ts'
import { throttleWarnings } from '../app/observe/throttled-warning.ts'
import { tokenParameters } from '../app/records/query/query.ts'
import { isPageTarget } from '../app/site/paths.ts'

type GateOptions = {
  trustedProxies: readonly string[]
  clientIpHeader?: string | undefined
  allowHttp: boolean
  publicUrl: string
}

/** `tls`: here or at a trusted proxy. */
export type Transport = 'tls' | 'plain'

declare module 'fastify' {
  interface FastifyRequest {
    /** Unlike `ip`, correct behind trusted proxies. */
    readonly clientAddress: string
  }
  interface FastifyInstance {
    /** `undefined` if plain HTTP is not allowed for this connection. */
    getTransport(socket: Socket, forwardedProto: string | undefined): Transport | undefined
  }
}

export const maxHeaderBytes = 16 * 1024
/** Without `cursor` and `after` (contract, section 4). */
const maxTargetBytes = 8192
const uncounted = /([?&])(?:cursor|after)=[^&]*/g
const tokenParameter = new RegExp(`[?&](?:${tokenParameters.join('|')})=`, 'i')

const malformed = (detail: string) => new ApiError('malformed_request', { detail })

/** Reads `rawHeaders`, because Node drops a repeated Authorization or Host. */
const checkHeaders = (request: FastifyRequest): void => {
  const { rawHeaders, httpVersionMajor } = request.raw
  // HTTP/1 request lines may name any version. Real HTTP/2 requests have a stream.
  if (httpVersionMajor !== 1 && !('stream' in request.raw)) {
    throw new ApiError('http_version_not_supported', { headers: { connection: 'close' } })
  }
  let authorizations = 0
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string
    if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++
    else if (name.length === 4 && name.toLowerCase() === 'host') {
      hosts++
      if (!isHost(rawHeaders[i + 1] as string)) throw malformed('Host is not a name or address with its port')
    }
  }
  if (authorizations > 1) throw malformed('Authorization was sent twice')
  if (hosts > 1) throw malformed('Host was sent twice')
  if (hosts === 0 && request.raw.httpVersion === '1.1') throw malformed('Host is missing')
  const contentCoding = request.headers['content-encoding']
  if (request.method === 'POST' && contentCoding && contentCoding.trim().toLowerCase() !== 'identity') {
    throw new ApiError('unsupported_media_type', {
      detail: 'Send the body without Content-Encoding',
      // The codings that requests may have (RFC 9110, section 12.5.3).
      headers: { 'accept-encoding': 'identity' },
    })
  }
  const coding = request.headers['transfer-encoding']
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    throw new ApiError('not_implemented', {
      detail: 'Send the body as it is: the only transfer coding is chunked',
      headers: { connection: 'close' },
    })
  }
}

const checkHeaderSize = (rawHeaders: readonly string[]): void => {
  let bytes = 0
  for (const text of rawHeaders) bytes += text.length
  if (bytes > maxHeaderBytes) throw new ApiError('headers_too_large')
}

const checkTarget = (target: string, method: string): void => {
  if (target === '*' && method !== 'OPTIONS') throw malformed('Only OPTIONS may use the target *')
  // Node's HTTP/1.1 parser already refuses these bytes.
  if (/[^\0-\x7f]/.test(target)) throw unescapedTarget()
  if (target.includes('#')) throw malformed('The target must not have a fragment')
  if (target.length > maxTargetBytes && target.replace(uncounted, '$1').length > maxTargetBytes) {
    throw new ApiError('uri_too_long', {
      detail: `The target may have ${maxTargetBytes} bytes without its cursor`,
    })
  }
  if (target.includes('=') && tokenParameter.test(target)) {
    throw new ApiError('token_in_query', {
      detail:
        'Send a token as Authorization: Bearer …, a key in the body, and treat this one as leaked: addresses are logged',
    })
  }
}

export default fp<GateOptions>(
  async (app, { trustedProxies, clientIpHeader, allowHttp, publicUrl }) => {
    const isProxy = createAddressRanges(trustedProxies)
    const isLoopback = createAddressRanges(['127.0.0.0/8', '::1'])
    const warn = throttleWarnings(app.log)
    const clientAddress = createClientAddress({
      isProxy,
      header: clientIpHeader,
      onUnreadable: (value) => {
        // The digits of an address are personal data.
        const form = value.slice(0, 100).replace(/\d/g, '0')
        warn(
          'client address',
          `a trusted proxy sends ${JSON.stringify(form)}, which is not an address: all its clients count as one`,
        )
      },
    })
    app.decorateRequest('clientAddress', {
      getter() {
        return clientAddress(this.raw)
      },
    })
    const { tls, plain } = app.securityHeaders

    const peers = new WeakMap<Socket, { isLocal: boolean; isProxy: boolean }>()
    const getPeer = (socket: Socket) => {
      let peer = peers.get(socket)
      if (peer === undefined) {
        const address = socket.remoteAddress ?? ''
        peer = { isLocal: isLoopback(address), isProxy: isProxy(address) }
        peers.set(socket, peer)
      }
      return peer
    }
    const getTransport = (socket: Socket, forwardedProto: string | undefined): Transport | undefined => {
      if ('encrypted' in socket) return 'tls'
      const peer = getPeer(socket)
      if (peer.isProxy && forwardedProto !== undefined) {
        return forwardedProto === 'https' || readLastProto(forwardedProto) === 'https' ? 'tls' : undefined
      }
      return peer.isLocal && allowHttp ? 'plain' : undefined
    }
    app.decorate('getTransport', getTransport)

    app.addHook('onRequest', (request, reply, next) => {
      const forwarded = request.headers['x-forwarded-proto']
      const transport = getTransport(
        request.raw.socket,
        typeof forwarded === 'string' ? forwarded : undefined,
      )
      reply.headers(transport === 'tls' ? tls : plain).header('request-id', request.id)
      if (request.raw.httpVersionMajor === 2) checkHeaderSize(request.raw.rawHeaders)
      checkHeaders(request)
      checkTarget(request.raw.url ?? '', request.method)
      // Health probes arrive from the internal network and contain no token.
      if (!transport && !request.raw.url?.startsWith('/health/')) {
        if (publicUrl.startsWith('https:') && isRedirectable(request)) {
          reply.redirect(publicUrl + request.raw.url, 308)
          return
        }
        throw new ApiError('tls_required', {
          detail: 'The request was not encrypted. Revoke any token or key in it: others may have read it',
        })
      }
      next()
    })
  },
  { name: 'gate', dependencies: ['security-headers', 'problems'], fastify: '5.x' },
)

/** Forms have already sent their fields in clear text. */
const isRedirectable = ({ method, raw: { url = '' } }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && isPageTarget(url)

/** Each proxy appends a value, so the last one is from ours. Schemes ignore case (RFC 3986, section 3.1). */
const readLastProto = (header: string): string => (header.split(',').at(-1) ?? '').trim().toLowerCase()
