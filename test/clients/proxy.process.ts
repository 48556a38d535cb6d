import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const client = pathToFileURL(join(import.meta.dirname, '../../clients/typescript/src/index.ts')).href

const listen = async (server: Server) => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

t.test('the TypeScript client uses the proxy of the environment', async (t) => {
  const seen: string[] = []
  const service = await listen(
    createServer((_request, response) => response.end('{"data":{"plan":"basic"}}')),
  )
  // Only the proxy knows where the name leads.
  const proxy = createServer((_request, response) => response.writeHead(400).end())
  proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
    seen.push(String(request.url))
    const onward = connect(service, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    onward.on('error', () => socket.destroy())
    socket.on('error', () => onward.destroy())
  })
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${await listen(proxy)}` }
  const program = `const { createClient } = await import('${client}')
    console.log((await createClient({ url: 'http://service.invalid', token: 'x' }).me()).plan)`
  const command = ['--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, command, { env })
  t.equal(stdout.trim(), 'basic')
  t.same(seen, ['service.invalid:80'])
})
