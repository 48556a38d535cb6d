import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A URL that names a socket has no host, which only libpq takes for one. */
const parseUrl = (url: string) => new URL(url.replace('@/', '@localhost/'))

/** Where a URL leads: a host and port, or a socket in the folder that it names. */
const getTarget = ({ hostname, port, searchParams }: URL) => {
  const folder = searchParams.get('host')
  const number = searchParams.get('port') ?? (port || '5432')
  return folder?.startsWith('/')
    ? { path: `${folder}/.s.PGSQL.${number}` }
    : { host: hostname || '127.0.0.1', port: Number(number) }
}

/** Returns the database's URL through a port of 127.0.0.1. */
const urlThrough = (database: URL, port: number): string => {
  const url = new URL(database)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  url.searchParams.delete('host')
  url.searchParams.delete('port')
  return url.href
}

/** What stands between a client and the PostgreSQL of this URL, and can be cut or held. */
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
  /** Keeps what comes on the connections that there are, as their backends would that are stopped. */
  const holdThose = () => {
    for (const socket of sockets) socket.pause()
  }
  return {
    url: urlThrough(database, port),
    /** Connections so far, those that were refused included. */
    get accepted() {
      return accepted
    },
    /** Connections that the client has not closed; of one that is held nobody can tell. */
    get open() {
      return open
    },
    cut() {
      isCut = true
      destroyAll()
    },
    /** Those that there are; new ones are let through. */
    cutThose: destroyAll,
    mend() {
      isCut = false
    },
    holdThose,
    /** Of connections that are made from now on. */
    holdNew() {
      isHeld = true
    },
    /** New ones, too: as a server that is stopped would. */
    hold() {
      holdThose()
      isHeld = true
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
