import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t from 'tap'
import { answerClientError } from '../../app/http/client-error.ts'

t.test('unreadable bytes end a response in progress without adding to it', async (t) => {
  const server = createServer((_request, response) => void response.write('begun;'))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    answerClientError(error, socket as Socket, 'http://api.test', {}),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())

  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1')
  let text = ''
  client.on('error', () => {})
  client.on('data', (chunk: string) => {
    const hadBegun = text.includes('begun;')
    text += chunk
    if (!hadBegun && text.includes('begun;')) client.write('no request\r\n\r\n')
  })
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(client, 'close')
  t.match(text, /^HTTP\/1\.1 200 [\s\S]*begun;\r\n$/)
})
