import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { getOptions } from '../wire/node.ts'

type ListenOptions = { host: string; port: number; backlog?: number; exclusive?: boolean }

const lacksIpv6 = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'

const closeTogether = (server: Server, second: Server): void => {
  const closeFirst = server.close.bind(server)
  server.close = (callback) => {
    const closed = new Promise((resolve) => second.close(resolve))
    return closeFirst((error) => void closed.then(() => callback?.(error)))
  }
}

const listenOnIpv6 = async (server: Server, options: Omit<ListenOptions, 'host'>): Promise<void> => {
  const { port } = server.address() as AddressInfo
  const second = createServer(getOptions(server), (socket) => server.emit('connection', socket))
  try {
    await once(second.listen({ ...options, port, host: '::1' }), 'listening')
  } catch (error) {
    if (lacksIpv6(error as NodeJS.ErrnoException)) return
    throw error
  }
  second.on('error', (error) => server.emit('error', error))
  closeTogether(server, second)
}

/**
 * Calls `listen`. For `localhost`, `listen` gets 127.0.0.1, and a second server on ::1 passes its connections
 * to `server`: Fastify's own second server would lack our limits and drain. Rejects if an address is in use.
 */
export const listenOn = async (
  server: Server,
  { host, ...options }: ListenOptions,
  listen: (options: ListenOptions) => Promise<unknown>,
): Promise<void> => {
  await listen({ ...options, host: host === 'localhost' ? '127.0.0.1' : host })
  if (host === 'localhost') await listenOnIpv6(server, options)
}
