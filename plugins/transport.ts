import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { createAddressRanges, createClientAddress, loopback } from '../app/http/client-address.ts'
import { throttleWarnings } from '../app/observe/throttled-warning.ts'

type TransportOptions = {
  trustedProxies: readonly string[]
  clientIpHeader?: string | undefined
  allowHttp: boolean
}

/** `tls`: here or at a trusted proxy. */
export type Transport = 'tls' | 'plain'

declare module 'fastify' {
  interface FastifyRequest {
    /** Unlike `ip`, correct behind trusted proxies. */
    readonly clientAddress: string
    /** `undefined` if plain HTTP is not allowed for this connection. */
    transport: Transport | undefined
  }
  interface FastifyInstance {
    getTransport(socket: Socket, forwardedProto: string | undefined): Transport | undefined
  }
}

/** Each proxy appends a value, so the last one is from ours. Schemes ignore case (RFC 3986, section 3.1). */
const readLastProto = (header: string): string => (header.split(',').at(-1) ?? '').trim().toLowerCase()

/** Finds out who sent a request and how, and sets the fields of every answer. */
export default fp<TransportOptions>(
  async (app, { trustedProxies, clientIpHeader, allowHttp }) => {
    const isProxy = createAddressRanges(trustedProxies)
    const isLoopback = createAddressRanges(loopback)
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
    app.decorateRequest('transport', undefined)

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

    const { tls, plain } = app.securityHeaders
    app.addHook('onRequest', (request, reply, next) => {
      const forwarded = request.headers['x-forwarded-proto']
      request.transport = getTransport(
        request.raw.socket,
        typeof forwarded === 'string' ? forwarded : undefined,
      )
      reply.headers(request.transport === 'tls' ? tls : plain).header('request-id', request.id)
      next()
    })
  },
  { name: 'transport', dependencies: ['security-headers'], fastify: '5.x' },
)
