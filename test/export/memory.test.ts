import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t from 'tap'
import { createPieces } from '../../app/wire/copy-pieces.ts'
import type { RowEncoder } from '../../app/wire/row.ts'
import { createSocket, divert } from '../../app/wire/socket.ts'
import { until } from '../helper.ts'

/** An export of any length goes through the same memory: none is asked for while it runs. */

const source = { view: new DataView(new ArrayBuffer(0)), at: 0 }
/** Writes `size` bytes, each the next number. */
const createCounter = (size: number): RowEncoder => {
  let next = 0
  return {
    bound: () => size,
    write(_, to) {
      next += 1
      for (let i = 0; i < size; i++) to.view.setUint8(to.at++, next & 0xff)
    },
  }
}

t.test('pieces are written to the memory of former ones, once no reader uses it', (t) => {
  const pieces = createPieces()
  const encoder = createCounter(200_000)
  const write = () => {
    pieces.add(source, encoder, 200_000)
    return pieces.take().piece
  }
  const kept = Array.from({ length: 5 }, write)
  t.same(
    kept.map((piece) => [piece.length, piece[0], piece.at(-1)]),
    [1, 2, 3, 4, 5].map((number) => [200_000, number, number]),
    'what was taken stays as it is',
  )
  const memory = new Set(kept.map(({ buffer }) => buffer))
  t.equal(memory.size, 5)
  for (let round = 0; round < 100; round++) {
    pieces.reclaim()
    memory.add(write().buffer)
  }
  t.equal(memory.size, 5, 'nothing new was asked for')
  t.equal(pieces.take().piece.length, 0)
  t.end()
})

t.test('a row that is longer than a piece is a piece of its own, and its memory is not kept', (t) => {
  const pieces = createPieces()
  const long = createCounter(1_000_000)
  pieces.add(source, long, 1_000_000)
  const { piece, rows } = pieces.take()
  t.same([piece.length, rows], [1_000_000, 1])
  pieces.reclaim()
  pieces.add(source, createCounter(10), 10)
  pieces.add(source, long, 1_000_000)
  t.not(pieces.take().piece.buffer, piece.buffer)
  t.end()
})

t.test('a socket reads into the same memory, and gives the driver copies of its own', async (t) => {
  const sent = Buffer.from(Array.from({ length: 256 }, (_, index) => index))
  const server = createServer((connection) => connection.on('data', () => connection.write(sent)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = createSocket().connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.teardown(() => {
    socket.destroy()
    server.close()
  })
  let received: Buffer[] = []
  socket.on('data', (bytes: Buffer) => received.push(bytes))
  const size = () => received.reduce((sum, { length }) => sum + length, 0)
  const ask = async () => {
    const whole = size() + sent.length
    socket.write('?')
    await until('it has answered', async () => size() === whole)
  }
  await ask()
  await ask()
  t.same(Buffer.concat(received), Buffer.concat([sent, sent]), 'the driver may keep what it got')
  const driven = received
  received = []
  const { tell, giveBack } = divert(socket, (bytes) => received.push(bytes))
  t.throws(
    () =>
      divert(
        socket.on('data', () => {}),
        () => {},
      ),
    'two readers are one too many',
  )
  await ask()
  await ask()
  t.equal(new Set(received.map(({ buffer }) => buffer)).size, 1)
  received = driven
  tell(Buffer.from('told'))
  giveBack(Buffer.from('first'))
  await ask()
  t.equal(Buffer.concat(received).subarray(512, 521).toString(), 'toldfirst')
  t.same(Buffer.concat(received).subarray(521), sent)
})
