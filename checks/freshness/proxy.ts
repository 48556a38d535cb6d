import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy on 127.0.0.1 that delays all traffic. */
export type DelayProxy = {
  readonly port: number
  /** Milliseconds, each way. */
  delayMs: number
  close(): Promise<void>
}

const relay = (from: Socket, to: Socket, delayMs: () => number) => {
  // Later bytes never overtake earlier ones, even if the delay becomes shorter.
  let lastDue = 0
  from.on('data', (bytes) => {
    const now = performance.now()
    lastDue = Math.max(lastDue, now + delayMs())
    if (lastDue <= now) to.write(bytes)
    else setTimeout(() => to.write(bytes), lastDue - now)
  })
  from.on('error', () => {})
  from.on('close', () => to.destroy())
}

/** Proxies a port of 127.0.0.1. Closes connections while no server listens there. */
export const createProxy = async (targetPort: number): Promise<DelayProxy> => {
  const sockets = new Set<Socket>()
  const proxy = { delayMs: 0 }
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: targetPort, host: '127.0.0.1', noDelay: true })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    relay(client, upstream, () => proxy.delayMs)
    relay(upstream, client, () => proxy.delayMs)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return Object.assign(proxy, { port, close })
}
