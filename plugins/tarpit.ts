import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { clientOf } from '../app/limits/address.ts'
import type { Policy } from '../app/limits/policy.ts'
import { gauge } from '../app/observe/figures.ts'
import type { Tarpit } from '../app/overload/tarpit.ts'

export type TarpitPluginOptions = {
  /** Of connections over HTTP/1. */
  connections: Tarpit
  /** Of streams over HTTP/2. */
  streams: Tarpit
  /** Whether a connection's address may be that of many clients. */
  hasProxies: boolean
}

/** Who is refused, and how many requests a second are no flood. */
export type Refused = Readonly<{ who: object; perSecond: number }>

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends the refusal of this request, and slows down those who are refused all the time. Undefined: nobody. */
    sendRefusal(refused: Refused | undefined, request: IncomingMessage, send: () => void): void
    /** The same in the router: how long it is held is not what the answer took. */
    passRefusal(refused: Refused | undefined, request: FastifyRequest, pass: () => void): void
    /** Whether a request only waits to be refused: then it takes nobody's place. */
    isHeld(request: IncomingMessage): boolean
    /** Connections that are not read for a while, and streams whose refusals are held. */
    heldRefusals(): number
    /** Whoever asks without a good token from this address; undefined: it may be that of many. */
    refusedAt(socket: Pick<Socket, 'remoteAddress'>): Refused | undefined
  }
}

/** Addresses that asked without a good token: a flood's are among the last. */
const maxAddresses = 10_000
/** Of clients behind one address whose tokens have expired, some; the bound is twice that. */
const anonymousPerSecond = 50

/** What a customer may ask in a second. */
export const fastestOf = (policies: readonly Policy[]): number =>
  Math.max(...policies.map(({ quota, windowSeconds }) => quota / windowSeconds))

/**
 * At about 5 kB each, which each collection copies. What is more is sent at once, so that holding costs no more than
 * refusing.
 */
export const mostStreams = { ofOne: 256, inAll: 500 } as const

/**
 * Where floods are slowed down. Over HTTP/1 a refusal is sent at once, and its connection read again later: what is
 * asked meanwhile stays with the client, and nothing of it here. A connection of HTTP/2 may have other requests under
 * way, so there the refusal waits. Connections of a proxy are those of many, and are read all the time.
 */
export default fp<TarpitPluginOptions>(
  (app, { connections, streams, hasProxies }, done) => {
    const waiting = new WeakSet<IncomingMessage>()
    const unread = new WeakSet<Socket>()
    const addresses = new LRUCache<string, Refused>({ max: maxAddresses })

    let refusedNow: Socket[] = []
    const pauseAll = () => {
      const sockets = refusedNow
      refusedNow = []
      for (const socket of sockets) if (unread.has(socket)) socket.pause()
    }
    const readLater = ({ who, perSecond }: Refused, socket: Socket): void => {
      if (hasProxies || unread.has(socket)) return
      const read = () => {
        unread.delete(socket)
        socket.resume()
      }
      if (!connections.hold(who, perSecond, read)) return
      unread.add(socket)
      // Not at once: where a request ends, Node resumes its connection.
      if (refusedNow.push(socket) === 1) setImmediate(pauseAll)
    }
    const sendRefusal = (refused: Refused | undefined, request: IncomingMessage, send: () => void): void => {
      const isHeld =
        refused !== undefined &&
        request.httpVersionMajor > 1 &&
        streams.hold(refused.who, refused.perSecond, send)
      if (isHeld) {
        waiting.add(request)
        return
      }
      send()
      if (refused && request.httpVersionMajor === 1) readLater(refused, request.socket)
    }
    app.decorate('sendRefusal', sendRefusal)
    app.decorate(
      'passRefusal',
      (refused: Refused | undefined, request: FastifyRequest, pass: () => void): void => {
        const refusedAt = performance.now()
        sendRefusal(refused, request.raw, () => {
          request.heldMs = performance.now() - refusedAt
          pass()
        })
      },
    )
    app.decorate('isHeld', (request: IncomingMessage) => waiting.has(request))
    const held = () => connections.held + streams.held
    app.decorate('heldRefusals', held)
    app.decorate('refusedAt', ({ remoteAddress = '' }: Pick<Socket, 'remoteAddress'>) => {
      if (hasProxies) return undefined
      const client = clientOf(remoteAddress)
      let refused = addresses.get(client)
      if (!refused) {
        refused = { who: {}, perSecond: anonymousPerSecond }
        addresses.set(client, refused)
      }
      return refused
    })
    app.metrics.add([
      gauge(
        'certdata_refusals_held',
        'Of those who are refused all the time: connections that are not read for a while, and refusals that wait',
        held,
        'sum',
      ),
    ])
    // Before the server waits for what is in flight.
    app.addHook('preClose', (closed) => {
      connections.close()
      streams.close()
      closed()
    })
    done()
  },
  { name: 'tarpit', dependencies: ['answers', 'metrics'], fastify: '5.x' },
)
