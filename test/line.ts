import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The URL of a socket has no host, which only libpq accepts. */
const parseUrl = (url: string) => new URL(url.replace('@/', '@localhost/'))

const getTarget = ({ hostname, port, searchParams }: URL) => {
  const folder = searchParams.get('host')
  const number = searchParams.get('port') ?? (port || '5432')
  return folder?.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${number}` }
    : { host: hostname || '127.0.0.1', port: Number(number) }
}

const urlThrough = (database: URL, port: number): string => {
  const url = new URL(database)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  url.searchParams.delete('host')
  url.searchParams.delete('port')
  return url.href
}

/** Starts a proxy to the server of this URL, PostgreSQL or Redis, whose connections can be cut or held. */
export const createLine = async (databaseUrl: string) => {
  const database = parseUrl(databaseUrl)
  const target = getTarget(database)
  const sockets = new Set<Socket>()
  let isCut = false
  let isHeld = false
  let accepted = 0
  let open = 0
  const server = createServer((client) => {
    accepted += 1
    if (isCut) return client.destroy()
    open += 1
    client.on('close', () => {
      open -= 1
    })
    const upstream = connect(target)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    client.pipe(upstream).on('close', () => client.destroy())
    upstream.pipe(client).on('close', () => upstream.destroy())
    if (isHeld) for (const socket of [client, upstream]) socket.pause()
    return undefined
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  /** Holds existing connections, as if their backends were stopped. */
  const holdThose = () => {
    for (const socket of sockets) socket.pause()
  }
  return {
    url: urlThrough(database, port),
    /** Number of connections, also refused ones. */
    get accepted() {
      return accepted
    },
    /** Number of connections that the client has not closed. Held connections count as open. */
    get open() {
      return open
    },
    cut() {
      isCut = true
      destroyAll()
    },
    /** Destroys existing connections. New ones pass. */
    cutThose: destroyAll,
    mend() {
      isCut = false
    },
    holdThose,
    /** Holds new connections. */
    holdNew() {
      isHeld = true
    },
    /** Holds existing and new connections, like a stopped server. */
    hold() {
      holdThose()
      isHeld = true
    },
    /** Connections that are held stay so. */
    releaseNew() {
      isHeld = false
    },
    release() {
      isHeld = false
      for (const socket of sockets) socket.resume()
    },
    async close() {
      destroyAll()
      server.close()
      await once(server, 'close')
    },
  }
}
