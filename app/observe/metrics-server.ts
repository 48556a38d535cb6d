import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type MetricsServerOptions = {
  host: string
  /** 0: any free one. */
  port: number
  /** The page and its media type. */
  read: () => Promise<{ type: string; text: string }>
}

/**
 * `/metrics` on a port of its own, plain and without a token: for networks that only the operator's machines
 * reach. Rejects where the port is taken.
 */
export const startMetricsServer = async ({ host, port, read }: MetricsServerOptions) => {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end()
      return
    }
    read().then(
      ({ type, text }) => response.writeHead(200, { 'content-type': type }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { port: (server.address() as AddressInfo).port, close }
}
