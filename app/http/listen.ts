import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { getOptions } from '../wire/node.ts'

type ListenOptions = {
  host: string
  port: number
  backlog?: number
  exclusive?: boolean
  reusePort?: boolean
}

const lacksIpv6 = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'

const closeTogether = (server: Server, second: Server): void => {
  const closeFirst = server.close.bind(server)
  server.close = (callback) => {
    const closed = new Promise((resolve) => second.close(resolve))
    return closeFirst((error) => void closed.then(() => callback?.(error)))
  }
}

/** Opens another socket, whose connections `server` handles and limits. */
const listenAlso = async (server: Server, options: Omit<ListenOptions, 'port'>): Promise<void> => {
  const { port } = server.address() as AddressInfo
  const second = createServer(getOptions(server), (socket) => server.emit('connection', socket))
  await once(second.listen({ ...options, port }), 'listening')
  second.on('error', (error) => server.emit('error', error))
  closeTogether(server, second)
}

const listenOnIpv6 = async (server: Server, options: Omit<ListenOptions, 'host' | 'port'>): Promise<void> => {
  try {
    await listenAlso(server, { ...options, host: '::1' })
  } catch (error) {
    if (!lacksIpv6(error as NodeJS.ErrnoException)) throw error
  }
}

/** Rejects if the address is in use: sockets that share a port would not notice. */
const requireFree = async (options: ListenOptions): Promise<void> => {
  const probe = createServer()
  await once(probe.listen(options), 'listening')
  await new Promise((resolve) => probe.close(resolve))
}

/**
 * Calls `listen`. For `localhost`, `listen` gets 127.0.0.1, and a second server on ::1 passes its connections
 * to `server`: Fastify's own second server would lack our limits and drain. Rejects if an address is in use.
 * `sockets`: number of sockets that share the port (Linux). See docs/decisions/0171-many-sockets-accept.md.
 */
export const listenOn = async (
  server: Server,
  { host, sockets = 1, ...options }: ListenOptions & { sockets?: number },
  listen: (options: ListenOptions) => Promise<unknown>,
): Promise<void> => {
  const first = { ...options, host: host === 'localhost' ? '127.0.0.1' : host }
  if (sockets > 1) {
    await requireFree(first)
    const shared = { ...first, reusePort: true }
    await listen(shared)
    for (let opened = 1; opened < sockets; opened += 1) await listenAlso(server, shared)
  } else await listen(first)
  if (host === 'localhost') await listenOnIpv6(server, options)
}
