import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { connect } from 'node:tls'
import type { Stage } from './stage.ts'

export type Handshakes = {
  /** New connections per second, at the maximum speed of this one client. */
  perSecond: number
  /** Processor time of the service for one connection, from accept to close, in microseconds. */
  cpuMicroseconds: number
}

const clients = 8

/** Connects and disconnects. Throws if the session was unexpectedly resumed or not resumed. */
const meet = async (port: number, session: Buffer | undefined): Promise<void> => {
  const to = { port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }
  const socket = connect({ ...to, ...(session ? { session } : {}) })
  await once(socket, 'secureConnect')
  if (socket.isSessionReused() !== (session !== undefined))
    throw new Error('the session was unexpectedly resumed or not resumed')
  socket.end()
  socket.resume()
  await once(socket, 'close')
}

/** Returns a session ticket of the service, which is valid for many connections. */
export const fetchTicket = async ({ port }: Pick<Stage, 'port'>): Promise<Buffer> => {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  const [ticket] = await once(socket, 'session')
  socket.destroy()
  return ticket
}

/** Opens new connections for this many seconds, eight at a time. Each resumes `session`, if it is defined. */
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
