import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { freePort } from './servers.ts'

export type Door = {
  port: number
  readonly connections: number
  /** Ends every connection, but accepts new ones. */
  cut(): void
  /** Ends every connection, and refuses new ones until `mend`. */
  sever(): void
  mend(): Promise<void>
}

/** A TCP proxy that tests can cut. `connect` opens the connection to the server. */
export const createDoor = async (connect: () => Socket): Promise<Door> => {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let server: Server | undefined
  const mend = async () => {
    server = createServer((client) => {
      const target = connect()
      for (const socket of [client, target]) {
        sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          client.destroy()
          target.destroy()
          sockets.delete(socket)
        })
      }
      client.pipe(target).pipe(client)
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const sever = () => {
    server?.close()
    cut()
  }
  await mend()
  return {
    port,
    get connections() {
      return sockets.size / 2
    },
    cut,
    sever,
    mend,
  }
}
