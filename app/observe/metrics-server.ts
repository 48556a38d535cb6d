import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createConnections } from '../http/connections.ts'
import { listenOn } from '../http/listen.ts'
import { createListener } from '../http/listener.ts'

const maxConnections = 100
const maxHeaderBytes = 16 * 1024
const keepAliveTimeoutMs = 72_000

type MetricsServerOptions = {
  host: string
  port: number
  read: () => Promise<{ type: string; text: string }>
  log: { warn(details: object, message: string): void }
}

/** Serves `/metrics` on a separate port without TLS or token. Rejects if it cannot listen. */
export const startMetricsServer = async ({ host, port, read, log }: MetricsServerOptions) => {
  const connections = createConnections({
    max: maxConnections,
    mostOfNetwork: maxConnections,
    toNetwork: () => undefined,
  })
  const listen = createListener({ tls: undefined, maxHeaderBytes, keepAliveTimeoutMs, connections })
  const server = listen((request, response) => {
    const [path] = (request.url ?? '').split('?')
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end()
      return
    }
    read().then(
      ({ type, text }) => response.writeHead(200, { 'content-type': type }).end(text),
      (err: unknown) => {
        log.warn({ err }, 'the metrics cannot be read')
        response.writeHead(500).end()
      },
    )
  }) as Server
  await listenOn(server, { host, port }, (place) => once(server.listen(place), 'listening'))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port: (server.address() as AddressInfo).port, close }
}
