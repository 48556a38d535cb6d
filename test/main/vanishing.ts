import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type Vanishing = {
  port: number
  /** From now on nothing passes and nothing is closed: connections of before stay as dead as that, new ones too. */
  vanish(): void
  /** New connections reach it again; those of before never do. */
  reappear(): void
  close(): Promise<void>
}

/** A way to a server, `connect`'s port or path, that can vanish as a machine does whose power fails. */
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
