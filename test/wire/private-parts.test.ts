import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import t from 'tap'
import { dropConnection } from '../../app/wire/driver.ts'
import { countSent, getOptions, hasBegunAnswer, isAnswering } from '../../app/wire/node.ts'
import { canSendPrepared, createPreparedSender } from '../../app/wire/prepared.ts'
import { frontStreams } from '../../app/wire/streams.ts'
import { testPostgres } from '../servers.ts'

/** Undocumented parts of Node and of drivers. If one fails after an upgrade, its file in `app/wire/` must change. */

/** Returns the bytes that a client receives. */
const readAnswer = async (answer: (response: ServerResponse) => void): Promise<string> => {
  const server = createServer((_request, response) => {
    response.once('finish', () => socket.end())
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: keep-alive\r\n\r\n')
  const read = await text(socket)
  server.close()
  return read
}

const connected = async (t: { teardown(work: () => unknown): void }, url: string) => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  t.teardown(() => client.end())
  return client
}

t.test('Node’s response._header: the edge could not send a prepared head', async (t) => {
  let could: unknown
  const read = await readAnswer((response) => {
    could = [canSendPrepared(response)]
    createPreparedSender(600_000)(response, 200, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n', 'ok')
    could = [...(could as boolean[]), canSendPrepared(response), response.headersSent]
  })
  t.same(could, [true, false, true])
  t.match(
    read,
    /^HTTP\/1\.1 200 OK\r\ncontent-length: 2\r\nDate: [^\r]+\r\nConnection: keep-alive\r\nKeep-Alive: timeout=600\r\n/,
  )
  t.ok(read.endsWith('\r\n\r\nok'))
})

t.test('Node’s stream listener for HTTP/2 requests: needed to answer in front of it', async (t) => {
  const asked: string[] = []
  const server = createHttp2Server((request, response) => {
    asked.push(`request ${request.url}`)
    response.end()
  })
  const isFront = frontStreams(server, (stream, headers) => {
    asked.push(`stream ${headers[':path']}`)
    if (headers[':path'] !== '/front') return false
    stream.respond()
    stream.end()
    return true
  })
  t.equal(isFront, true)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  for (const path of ['/front', '/other']) await text(session.request({ ':path': path }))
  t.same(asked, ['stream /front', 'stream /other', 'request /other'])
  session.close()
  server.close()

  const other = createHttp2Server().on('request', () => {})
  const listener = () => {}
  other.on('stream', listener)
  t.equal(
    frontStreams(other, () => true),
    false,
    'with another listener it changes nothing',
  )
  t.equal(other.listeners('stream').at(-1), listener)
  t.equal(other.listenerCount('stream'), 2)
})

t.test(
  'Node’s response.shouldKeepAlive: a drain could not close connections with their answers',
  async (t) => {
    const read = await readAnswer((response) => {
      t.equal(response.shouldKeepAlive, true)
      response.shouldKeepAlive = false
      t.notOk(canSendPrepared(response))
      response.end()
    })
    t.match(read, /\r\nConnection: close\r\n/i)
  },
)

t.test(
  'Node’s socket._httpMessage: a refusal could be written into an answer, or a busy connection be replaced',
  async (t) => {
    await readAnswer((response) => {
      const socket = response.socket as Socket
      t.equal('_httpMessage' in socket, true, 'it is there')
      t.equal(hasBegunAnswer(socket), false, 'before the head')
      response.write('a')
      t.equal(hasBegunAnswer(socket), true, 'behind the head')
      t.equal(isAnswering(socket), false, 'before the end of the request')
      setImmediate(() => {
        t.equal(isAnswering(socket), true)
        response.end()
      })
    })
  },
)

t.test('Node’s handle of a socket: unread answers could not be told from read ones', async (t) => {
  const sizeBytes = 32 * 1024 * 1024
  const server = createNetServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const arrived = once(server, 'connection') as Promise<[Socket]>
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause()
  const [served] = await arrived
  t.same(countSent(served), { accepted: 0, queued: 0 })
  served.write(Buffer.alloc(sizeBytes))
  const { accepted, queued } = countSent(served) ?? { accepted: 0, queued: 0 }
  t.ok(accepted > 0 && queued > 0)
  t.equal(accepted + queued, sizeBytes)
  client.resume()
  await once(served, 'drain')
  t.same(countSent(served), { accepted: sizeBytes, queued: 0 })
  served.destroy()
  t.equal(countSent(served), undefined)
  server.close()
})

t.test(
  'options of Node’s net.Server: the second address of localhost would accept connections differently',
  async (t) => {
    const given = { keepAlive: true, keepAliveInitialDelay: 30_000, noDelay: true, allowHalfOpen: true }
    t.match(getOptions(createNetServer({ ...given, highWaterMark: 1234 })), { ...given, highWaterMark: 1234 })
  },
)

t.test('parts of pg', async (t) => {
  const server = await testPostgres()
  t.teardown(() => server.stop())

  t.test('pg’s connection.stream of a client: needed to drop a hanging connection immediately', async (t) => {
    const client = await connected(t, server.url)
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    dropConnection(client)
    await ended
    t.pass('it is gone')
  })
})
