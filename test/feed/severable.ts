import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import pg from 'pg'
import { freePort } from '../servers.ts'

export type Severable = {
  /** URL of the same database through the severable connection. */
  url: string
  /** Ends every connection that goes this way, and takes no other. */
  sever(): void
  mend(): Promise<void>
  close(): void
}

/** A way to a database that can be cut. */
export const createSeverable = async (databaseUrl: string): Promise<Severable> => {
  const { host, port, user = '', database = '', password } = new pg.Client({ connectionString: databaseUrl })
  const ownPort = await freePort()
  const sockets = new Set<Socket>()
  let server: Server | undefined
  const open = async () => {
    server = createServer((client) => {
      const target = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
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
    }).listen(ownPort, '127.0.0.1')
    await once(server, 'listening')
  }
  const sever = () => {
    server?.close()
    for (const socket of sockets) socket.destroy()
  }
  await open()
  const login = typeof password === 'string' ? `${user}:${encodeURIComponent(password)}` : user
  return {
    url: `postgresql://${login}@127.0.0.1:${ownPort}/${database}?sslmode=disable`,
    sever,
    mend: open,
    close: sever,
  }
}
