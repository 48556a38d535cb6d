import cluster from 'node:cluster'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { optionsOf } from '../wire/node.ts'

type ListenAddress = { host: string; port: number; backlog: number }

/** What listens by itself: Fastify's instance. */
type Listening = {
  server: unknown
  listen(options: ListenAddress & { reusePort?: boolean }): Promise<unknown>
}

/** Beside the server's own. Sixty-four connections a turn are some milliseconds of work. */
const socketsBeside = 63

/** Rejects, as listening would, where somebody listens there: sockets that share a port would not notice. */
const requireFree = async ({ host, port }: ListenAddress): Promise<void> => {
  const probe = createServer().listen({ host, port })
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}

const openBeside = async (server: Server, place: ListenAddress): Promise<Server> => {
  const beside = createServer(optionsOf(server), (socket) => server.emit('connection', socket))
  beside.listen({ ...place, reusePort: true })
  await once(beside, 'listening')
  return beside.on('error', (error) => server.emit('error', error))
}

const closeOne = async (beside: Server): Promise<void> => {
  beside.close()
  await once(beside, 'close')
}

/** A server's close is that of all its sockets: nobody takes it for closed while one of their requests runs. */
const closeTogether = (server: Server, opened: readonly Server[]): void => {
  const closeOwn = server.close.bind(server)
  server.close = (callback) => {
    const closed = Promise.all(opened.map(closeOne))
    return closeOwn((error) => void closed.then(() => callback?.(error)))
  }
}

/**
 * Has a server listen, on Linux on many sockets that share its port, among which the system spreads connections: the
 * event loop takes one new connection a turn from each (libuv's `uv__server_io`). From one socket, connections that
 * come at once would be taken one by one between answers, and wait where nobody counts or refuses them.
 *
 * A cluster's worker gets its connections from the process that made it, which has nothing else to do and takes them
 * in time; sockets of its own would lose what waits in them when it dies.
 *
 * Rejects where the address is in use or not this machine's.
 */
export const listenOnMany = async (app: Listening, place: ListenAddress): Promise<void> => {
  if (cluster.isWorker || process.platform !== 'linux') {
    await app.listen(place)
    return
  }
  await requireFree(place)
  await app.listen({ ...place, reusePort: true })
  const server = app.server as Server
  closeTogether(
    server,
    await Promise.all(Array.from({ length: socketsBeside }, () => openBeside(server, place))),
  )
}
