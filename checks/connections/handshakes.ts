import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { connect } from 'node:tls'
import type { Stage } from './stage.ts'

export type Handshakes = {
  /** New connections a second, as fast as this one client goes. */
  perSecond: number
  /** Microseconds of processor time that the service spends on one, from its arrival to its end. */
  cpuMicroseconds: number
}

const clients = 8

/** Connects and leaves. Throws if the session was not resumed where it should be, or the other way round. */
const meet = async (port: number, session: Buffer | undefined): Promise<void> => {
  const to = { port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }
  const socket = connect({ ...to, ...(session ? { session } : {}) })
  await once(socket, 'secureConnect')
  if (socket.isSessionReused() !== (session !== undefined)) throw new Error('resumed: expected the opposite')
  socket.end()
  socket.resume()
  await once(socket, 'close')
}

/** Returns a ticket of the service. It is good for all connections that follow. */
export const fetchTicket = async ({ port }: Pick<Stage, 'port'>): Promise<Buffer> => {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  const [ticket] = await once(socket, 'session')
  socket.destroy()
  return ticket
}

/** Makes new connections for this many seconds, eight at once. `session`: each resumes it; absent: none does. */
export const measureHandshakes = async (
  { port, cpuMs }: Stage,
  seconds: number,
  session?: Buffer,
): Promise<Handshakes> => {
  const [startedAt, cpuBefore] = [performance.now(), cpuMs()]
  let count = 0
  const connectInTurn = async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      await meet(port, session)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, connectInTurn))
  const lastedSeconds = (performance.now() - startedAt) / 1000
  return { perSecond: count / lastedSeconds, cpuMicroseconds: ((cpuMs() - cpuBefore) * 1000) / count }
}
