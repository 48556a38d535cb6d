import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer } from 'node:https'
import type { AddressInfo, LookupFunction } from 'node:net'
import { type ConnectionOptions, connect } from 'node:tls'
import { createOutbound, type Outbound, type OutboundOptions } from '../app/http/outbound.ts'
import { makeCertificate as makeFiles } from './api/sockets.ts'

/** In the certificate. */
export const hostName = 'hooks.example.com'
/** The agent connects to the test server instead. */
export const publicAddress = '93.184.215.14'

/** An https server that replaces the public Internet. */
export type Internet = {
  outbound: Outbound
  answer: (request: IncomingMessage, response: ServerResponse) => void
  /** Results of the next look-ups. The last one repeats. */
  addresses: (readonly string[])[]
  lookups: number
  /** Whether the client trusts the authority of the server's certificate. */
  isTrusted: boolean
  /** Addresses that the client chose. */
  connections: string[]
  requests: number
  close(): void
}

/** PEM. */
export const makeCertificate = () => {
  const { key, cert, remove } = makeFiles('ec', [hostName])
  const made = { key: readFileSync(key), cert: readFileSync(cert) }
  remove()
  return made
}

/** Connections to any address reach this server. `names` replaces `addresses`. */
export const startInternet = async (names?: OutboundOptions['resolve']): Promise<Internet> => {
  const { key, cert } = makeCertificate()
  const server = createServer({ key, cert }, (request, response) => {
    internet.requests += 1
    internet.answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  class TestAgent extends Agent {
    override createConnection(options: ConnectionOptions & { lookup?: LookupFunction }) {
      const { lookup, host } = options
      const note = (address: string) => internet.connections.push(address)
      if (lookup) {
        lookup(host ?? '', { all: true }, (_error, found) => {
          for (const each of Array.isArray(found) ? found : []) note(each.address)
        })
      } else note(host ?? '')
      const trust = internet.isTrusted ? { ca: cert } : {}
      return connect({ ...options, ...trust, host: '127.0.0.1', port, lookup: undefined })
    }
  }

  const internet: Internet = {
    answer: (_request, response) => void response.end('{}'),
    addresses: [[publicAddress]],
    lookups: 0,
    isTrusted: true,
    connections: [],
    requests: 0,
    outbound: createOutbound({
      agent: new TestAgent({ keepAlive: false }),
      resolve: async (host, signal) => {
        internet.lookups += 1
        if (names) return names(host, signal)
        const { addresses } = internet
        return (addresses.length > 1 ? addresses.shift() : addresses[0]) ?? []
      },
    }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return internet
}
