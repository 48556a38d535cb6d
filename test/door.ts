import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'

/** A TCP proxy that tests can cut or hold. `open` opens the connection to the server. */
export const createDoor = async (open: () => Socket) => {
  const sockets = new Set<Socket>()
  let isSevered = false
  let isHeld = false
  let accepted = 0
  let connections = 0
  const server = createServer((client) => {
    accepted += 1
    if (isSevered) return void client.destroy()
    connections += 1
    client.on('close', () => {
      connections -= 1
    })
    const upstream = open()
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    client.pipe(upstream).on('close', () => client.destroy())
    upstream.pipe(client).on('close', () => upstream.destroy())
    if (isHeld) for (const socket of [client, upstream]) socket.pause()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const holdOpen = () => {
    for (const socket of sockets) socket.pause()
  }
  return {
    port: (server.address() as AddressInfo).port,
    /** Includes refused connections. */
    get accepted() {
      return accepted
    },
    /** Connections that the client has not closed. */
    get connections() {
      return connections
    },
    /** Ends every connection, but accepts new ones. */
    cut,
    /** Ends every connection, and every new one until `mend`. */
    sever() {
      isSevered = true
      cut()
    },
    mend() {
      isSevered = false
    },
    /** Holds the data of the existing connections, as if their backends were paused. */
    holdOpen,
    holdNew() {
      isHeld = true
    },
    hold() {
      holdOpen()
      isHeld = true
    },
    /** Lets new connections pass. Connections that are held stay so. */
    releaseNew() {
      isHeld = false
    },
    release() {
      isHeld = false
      for (const socket of sockets) socket.resume()
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A door in front of a PostgreSQL server. `url` leads through it. */
export const createDatabaseDoor = async (databaseUrl: string) => {
  const { host, port, user = '', database = '', password } = new pg.Client({ connectionString: databaseUrl })
  const door = await createDoor(() =>
    host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host),
  )
  const login = typeof password === 'string' ? `${user}:${encodeURIComponent(password)}` : user
  const url = `postgresql://${login}@127.0.0.1:${door.port}/${database}?sslmode=disable`
  return Object.assign(door, { url })
}
