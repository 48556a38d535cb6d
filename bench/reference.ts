import { createServer } from 'node:http'

/**
 * The yardstick: a bare node:http server that sends one prepared answer to whatever it is asked. The parent
 * process sends headers and body, and gets the port.
 */
process.once('message', ({ headers, body }: { headers: Record<string, string>; body: string }) => {
  const bytes = Buffer.from(body, 'base64')
  const fields = Object.entries(headers).flat()
  const server = createServer((_request, response) => {
    response.writeHead(200, fields)
    response.end(bytes)
  })
  server.keepAliveTimeout = 72_000
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
})
