import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Vanishing = {
  port: number
  /** Old and new connections stay open, but nothing passes. */
  vanish(): void
  /** New connections reach the server again. Old ones never do. */
  reappear(): void
  close(): Promise<void>
}

/** Creates a proxy that can vanish like a machine without power. `target`: port or path of a socket. */
export const createVanishing = async (target: number | string): Promise<Vanishing> => {
  const sockets = new Set<Socket>()
  let isGone = false
  const keep = (socket: Socket, other?: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      other?.destroy()
    })
  }
  const server = createServer((client) => {
    if (isGone) return keep(client)
    const upstream = typeof target === 'string' ? connect(target) : connect(target, '127.0.0.1')
    keep(client, upstream)
    keep(upstream, client)
    client.pipe(upstream).pipe(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    vanish() {
      isGone = true
      for (const socket of sockets) socket.unpipe().pause().removeAllListeners('data')
    },
    reappear() {
      isGone = false
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
