import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The address of a socket has no host, which `URL` refuses. */
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

/** A proxy for a PostgreSQL server. A test can cut its connections, or hold their data. */
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
  /** Holds the data of the existing connections, as if their backends were paused. */
  const holdThose = () => {
    for (const socket of sockets) socket.pause()
  }
  return {
    url: urlThrough(database, port),
    /** Connections so far, including refused ones. */
    get accepted() {
      return accepted
    },
    /** Connections that the client has not closed. A held connection counts as open. */
    get open() {
      return open
    },
    cut() {
      isCut = true
      destroyAll()
    },
    /** Cuts the existing connections, but accepts new ones. */
    cutThose: destroyAll,
    mend() {
      isCut = false
    },
    holdThose,
    holdNew() {
      isHeld = true
    },
    /** Holds existing and new connections, as if the server were paused. */
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
