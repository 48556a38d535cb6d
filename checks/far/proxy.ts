import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import pg from 'pg'

export type Passage = {
  /** Bytes of the client's first write, as text. They show the purpose of the connection. */
  first: string
  /**
   * Round trips: how often the client sent bytes after it received some, plus the first time. Bytes sent too
   * early to be a response, such as HTTP/2's acknowledgements, belong to the same trip.
   */
  turns: number
  /** Round trips that request a page, recognized by the statement or its name. */
  pageTurns: number
  received: number
}

export type Distance = {
  readonly port: number
  /** Milliseconds each way. */
  oneWayMs: number
  /** All connections so far, in order of arrival. */
  readonly passages: readonly Passage[]
  close(): Promise<void>
}

/** The statement of a page, or its name if the connection has prepared it. */
const pageStatement = /picked as \(|page_[\da-f]{16}/

type Parcel = { dueAt: number; deliver: () => void }

/** Delivers each parcel when it is due, in the order of sending. */
const createRoad = () => {
  const parcels: Parcel[] = []
  let lastDueAt = 0
  let timer: NodeJS.Timeout | undefined
  const deliver = () => {
    timer = undefined
    while (parcels[0] && parcels[0].dueAt <= performance.now()) parcels.shift()?.deliver()
    if (parcels[0]) timer = setTimeout(deliver, Math.ceil(parcels[0].dueAt - performance.now()))
  }
  return {
    send(afterMs: number, parcel: () => void) {
      // Bytes keep their order, even if the distance becomes shorter.
      lastDueAt = Math.max(lastDueAt, performance.now() + afterMs)
      parcels.push({ dueAt: lastDueAt, deliver: parcel })
      timer ??= setTimeout(deliver, Math.ceil(afterMs))
    },
    end() {
      clearTimeout(timer)
      parcels.length = 0
    },
  }
}

const join = (client: Socket, server: Socket, oneWayMs: () => number): Passage => {
  const passage: Passage = { first: '', turns: 0, pageTurns: 0, received: 0 }
  let isClientsTurn = true
  let turnedAt = Number.NEGATIVE_INFINITY
  const [there, back] = [createRoad(), createRoad()]
  // The client's connect has already succeeded. At this distance, TCP takes one round trip before the first
  // byte.
  const openAt = performance.now() + 2 * oneWayMs()
  client.on('data', (bytes) => {
    if (passage.first === '') passage.first = bytes.toString('latin1')
    const now = performance.now()
    if (isClientsTurn && now - turnedAt >= oneWayMs()) {
      passage.turns += 1
      if (pageStatement.test(bytes.toString('latin1'))) passage.pageTurns += 1
      turnedAt = now
    }
    isClientsTurn = false
    const untilOpenMs = Math.max(0, openAt - now)
    there.send(untilOpenMs + oneWayMs(), () => server.write(bytes))
  })
  server.on('data', (bytes) =>
    back.send(oneWayMs(), () => {
      passage.received += bytes.length
      isClientsTurn = true
      client.write(bytes)
    }),
  )
  client.on('end', () => there.send(oneWayMs(), () => server.end()))
  server.on('end', () => back.send(oneWayMs(), () => client.end()))
  for (const [own, other] of [
    [client, server],
    [server, client],
  ] as const) {
    own.on('error', () => other.destroy())
    own.on('close', () => {
      // By then, everything sent before has been delivered.
      if (own.errored || !own.readableEnded) other.destroy()
    })
  }
  client.on('close', () => back.end())
  server.on('close', () => there.end())
  return passage
}

/**
 * Opens a proxy on 127.0.0.1 that simulates distance to a server. It delays each direction and keeps the
 * order, with unlimited bandwidth. This is realistic for answers that fit into TCP's first window of 14 kB.
 */
export const openDistance = async (to: NetConnectOpts, oneWayMs: number): Promise<Distance> => {
  const sockets = new Set<Socket>()
  const passages: Passage[] = []
  const distance = { oneWayMs, passages }
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    const upstream = connect({ ...to, noDelay: true, allowHalfOpen: true })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    passages.push(join(client, upstream, () => distance.oneWayMs))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return Object.assign(distance, { port, close })
}

/** Returns the address of a database's URL, and a function that returns the URL for a port of 127.0.0.1. */
export const getAddress = (url: string): { to: NetConnectOpts; reach: (port: number) => string } => {
  const { host, port, database, user, password } = new pg.Client({ connectionString: url })
  const login = password ? `${user}:${encodeURIComponent(String(password))}` : user
  return {
    to: host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
    reach: (nearPort) => `postgresql://${login}@127.0.0.1:${nearPort}/${database}?sslmode=disable`,
  }
}
