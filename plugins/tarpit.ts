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
  tarpit: Tarpit
  /** Whether a connection's address may be that of many clients. */
  hasProxies: boolean
}

/** Who is refused, and how many requests a second are no flood. */
export type Refused = Readonly<{ who: object; perSecond: number }>

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends the refusal of this request now or, to those who are refused all the time, later. Undefined: now. */
    sendRefusal(refused: Refused | undefined, request: IncomingMessage, send: () => void): void
    /** The same in the router: how long it is held is not what the answer took. */
    passRefusal(refused: Refused | undefined, request: FastifyRequest, pass: () => void): void
    /** Whether a request only waits to be refused: then it takes nobody's place. */
    isHeld(request: IncomingMessage): boolean
    /** Refusals that are held. */
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
 * Where refusals are held. A client that sends ahead meanwhile is not read any more; of HTTP/2, where requests of a
 * connection do not wait for each other, only the stream waits.
 */
export default fp<TarpitPluginOptions>(
  (app, { tarpit, hasProxies }, done) => {
    const waiting = new WeakSet<IncomingMessage>()
    const held = new WeakMap<Socket, { isPaused: boolean }>()
    const addresses = new LRUCache<string, Refused>({ max: maxAddresses })

    const holdHttp1 = ({ who, perSecond }: Refused, { socket }: IncomingMessage, send: () => void) => {
      const before = held.get(socket)
      if (before) {
        // It waits for the answer before it anyway. What comes after it may as well stay with the client.
        before.isPaused = true
        // Not at once: where a request ends, Node resumes its connection, and this one is not quite parsed.
        process.nextTick(() => {
          if (held.get(socket) === before) socket.pause()
        })
        return false
      }
      const state = { isPaused: false }
      const release = () => {
        held.delete(socket)
        send()
        if (state.isPaused) socket.resume()
      }
      if (!tarpit.hold(who, perSecond, release)) return false
      held.set(socket, state)
      return true
    }
    const hold = (refused: Refused, request: IncomingMessage, send: () => void): boolean =>
      request.httpVersionMajor === 1
        ? holdHttp1(refused, request, send)
        : tarpit.hold(refused.who, refused.perSecond, send)
    const sendRefusal = (refused: Refused | undefined, request: IncomingMessage, send: () => void): void => {
      if (refused && hold(refused, request, send)) waiting.add(request)
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
    app.decorate('heldRefusals', () => tarpit.held)
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
        'Refusals that wait, of those who are refused all the time',
        () => tarpit.held,
        'sum',
      ),
    ])
    // Before the server waits for what is in flight.
    app.addHook('preClose', (closed) => {
      tarpit.close()
      closed()
    })
    done()
  },
  { name: 'tarpit', dependencies: ['answers', 'metrics'], fastify: '5.x' },
)
