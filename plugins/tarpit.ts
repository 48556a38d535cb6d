import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { clientOf } from '../app/limits/address.ts'
import type { Policy } from '../app/limits/policy.ts'
import { gauge } from '../app/observe/figures.ts'
import { createTarpit, type TarpitOptions } from '../app/overload/tarpit.ts'

export type TarpitPluginOptions = Pick<TarpitOptions, 'now' | 'after'> & {
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
    /** Connections that are not read for a while, and refusals that wait. */
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
const mostRefusals = { ofOne: 256, inAll: 500 } as const
/** That a client is gone is noticed when its connection is read: until then it costs a file. */
const mostConnections = { ofOne: 1_000, inAll: 2_000 } as const

/**
 * Where floods are slowed down. Over HTTP/1 a refusal is sent at once, and its connection read again later: what is
 * asked meanwhile stays with the client, and nothing of it here. The first refusal of a connection is held instead,
 * since whoever makes a new one for each request would not notice; so is each of HTTP/2, whose connections may have
 * other requests under way. Connections of a proxy are those of many, and are read all the time.
 */
export default fp<TarpitPluginOptions>(
  (app, { now, after, hasProxies }, done) => {
    /** Of HTTP/1, which wait to be read again. */
    const connections = createTarpit({ now, after, most: mostConnections })
    /** Which wait to be sent. */
    const refusals = createTarpit({ now, after, most: mostRefusals })
    const waiting = new WeakSet<IncomingMessage>()
    const met = new WeakSet<Socket>()
    const unread = new WeakSet<Socket>()
    const addresses = new LRUCache<string, Refused>({ max: maxAddresses })

    const readLater = ({ who, perSecond }: Refused, socket: Socket): void => {
      if (unread.has(socket)) {
        connections.count(who)
        return
      }
      const pause = () => {
        if (unread.has(socket)) socket.pause()
      }
      const read = () => {
        unread.delete(socket)
        socket.off('resume', pause)
        socket.resume()
      }
      if (!connections.hold(who, perSecond, read)) return
      unread.add(socket)
      // Node resumes a connection where a request ends, and where what was written has gone out.
      socket.on('resume', pause)
      // Not at once, as the parser is at work; nor by an immediate, which may wait for thousands of requests.
      process.nextTick(pause)
    }
    const isFirstOf = (socket: Socket): boolean => {
      if (met.has(socket)) return false
      met.add(socket)
      return true
    }
    const sendRefusal = (refused: Refused | undefined, request: IncomingMessage, send: () => void): void => {
      const isHttp1 = request.httpVersionMajor === 1
      if (!refused || (isHttp1 && hasProxies)) send()
      else if (isHttp1 && !isFirstOf(request.socket)) {
        send()
        readLater(refused, request.socket)
      } else if (refusals.hold(refused.who, refused.perSecond, send)) waiting.add(request)
      else send()
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
    const held = () => connections.held + refusals.held
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
      refusals.close()
      closed()
    })
    done()
  },
  { name: 'tarpit', dependencies: ['answers', 'metrics'], fastify: '5.x' },
)
