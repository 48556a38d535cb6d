import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { listenOnMany } from '../../app/main/listen.ts'
import { until } from '../helper.ts'
import { freePort } from '../servers.ts'

const host = '127.0.0.1'
const backlog = 1_000

/** An HTTP server that listens as the service does. */
const start = async (t: Test) => {
  const server = createServer({ keepAlive: true }, (_request, response) => void response.end('here'))
  const listen = async (options: object) => {
    server.listen(options)
    await once(server, 'listening')
  }
  const port = await freePort()
  await listenOnMany({ server, listen }, { host, port, backlog })
  t.teardown(() => void server.close())
  return { server, port }
}

/** Opens connections from another thread, while this one does nothing else. */
const openElsewhere = (t: Test, port: number, count: number): void => {
  const program = `
    const { workerData: { port, count, open } } = require('node:worker_threads')
    const { connect } = require('node:net')
    const note = () => { if (Atomics.add(open, 0, 1) === count - 1) Atomics.notify(open, 0) }
    for (let n = 0; n < count; n += 1) connect(port, '${host}', note).on('error', () => {})`
  const open = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(program, { eval: true, workerData: { port, count, open } })
  t.teardown(() => worker.terminate())
  for (let now = 0; now < count; now = Atomics.load(open, 0)) Atomics.wait(open, 0, now, 1_000)
}

const ask = (port: number) => fetch(`http://${host}:${port}`, { headers: { connection: 'close' } })

t.test('connections that come at once are taken in few turns of the event loop', async (t) => {
  const { server, port } = await start(t)
  const count = 200
  let taken = 0
  let turns = 0
  let turnsWhenAllWere = 0
  server.on('connection', () => {
    taken += 1
    if (taken === count) turnsWhenAllWere = turns
  })
  openElsewhere(t, port, count)
  t.equal(taken, 0)
  const turn = () => {
    turns += 1
    if (taken < count) setImmediate(turn)
  }
  setImmediate(turn)
  await until('all are taken', () => taken === count)
  t.ok(turnsWhenAllWere < count / 4, `${turnsWhenAllWere} turns for ${count} connections`)
})

t.test('where somebody listens nobody else does', async (t) => {
  const { port } = await start(t)
  const server = createServer()
  t.teardown(() => void server.close())
  const listen = async (options: object) => {
    server.listen(options)
    await once(server, 'listening')
  }
  await t.rejects(listenOnMany({ server, listen }, { host, port, backlog }), { code: 'EADDRINUSE' })
  t.notOk(server.listening)
})

t.test(
  'who closes takes no connection, answers those that are there, and is closed when they are',
  async (t) => {
    const { server, port } = await start(t)
    for (let count = 0; count < 20; count += 1) t.equal(await (await ask(port)).text(), 'here')
    const kept = Array.from({ length: 20 }, () => connect(port, host))
    let taken = 0
    server.on('connection', () => {
      taken += 1
    })
    await until('taken', () => taken === kept.length)
    let isClosed = false
    server.close(() => {
      isClosed = true
    })
    await t.rejects(ask(port))
    t.notOk(isClosed)
    const answers = kept.map(async (socket) => {
      socket.write('GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n')
      const [bytes] = await once(socket, 'data')
      return String(bytes).slice(9, 12)
    })
    t.same(await Promise.all(answers), Array(20).fill('200'))
    await until('closed', () => isClosed)
  },
)
