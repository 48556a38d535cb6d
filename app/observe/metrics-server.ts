import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { listenOn } from '../http/listen.ts'

type MetricsServerOptions = {
  host: string
  port: number
  read: () => Promise<{ type: string; text: string }>
  log: { warn(details: object, message: string): void }
}

/** Serves `/metrics` on a separate port without TLS or token. Rejects if it cannot listen. */
export const startMetricsServer = async ({ host, port, read, log }: MetricsServerOptions) => {
  const server = createServer((request, response) => {
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
  })
  await listenOn(server, { host, port }, (place) => once(server.listen(place), 'listening'))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { port: (server.address() as AddressInfo).port, close }
}
