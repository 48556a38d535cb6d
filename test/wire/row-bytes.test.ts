import { Duplex } from 'node:stream'
import fc from 'fast-check'
import t from 'tap'
import { readRows, splitColumns } from '../../app/wire/row-bytes.ts'

const message = (code: string, content: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(code)
  head.writeUInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

const dataRow = (columns: readonly (string | null)[]): Buffer => {
  const count = Buffer.alloc(2)
  count.writeUInt16BE(columns.length)
  const parts = columns.map((column) => {
    const text = Buffer.from(column ?? '')
    const length = Buffer.alloc(4)
    length.writeInt32BE(column === null ? -1 : text.length)
    return Buffer.concat([length, text])
  })
  return message('D', Buffer.concat([count, ...parts]))
}

/** What is read when these bytes come in pieces that end at `cuts`, with a driver that takes the rest. */
const readInPieces = (bytes: Buffer, cuts: readonly number[]) => {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() })
  const driven: Buffer[] = []
  const driver = (chunk: Buffer) => driven.push(Buffer.from(chunk))
  socket.on('data', driver)
  const rows: (string | null)[][] = []
  readRows(socket, (row) => {
    rows.push(
      Array.from(splitColumns(row), (each) => (each ? row.toString('utf8', each.start, each.end) : null)),
    )
  })
  const ends = [...new Set([...cuts.map((cut) => cut % bytes.length), bytes.length])].sort((a, b) => a - b)
  let start = 0
  for (const end of ends) {
    if (end > start) socket.emit('data', bytes.subarray(start, end))
    start = end
  }
  return { rows, driven: Buffer.concat(driven), isGivenBack: socket.listeners('data')[0] === driver }
}

const columns = fc.array(fc.option(fc.string({ unit: 'grapheme', maxLength: 300 })), {
  minLength: 1,
  maxLength: 9,
})

t.test(
  'rows are read whole however their bytes are cut, and every other message is the driver’s',
  async (t) => {
    fc.assert(
      fc.property(
        fc.array(columns, { maxLength: 3 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (given, cuts) => {
          const before = [
            message('1', Buffer.alloc(0)),
            message('2', Buffer.alloc(0)),
            message('N', Buffer.from('note\0')),
          ]
          const behind = [message('C', Buffer.from('SELECT 1\0')), message('Z', Buffer.from('I'))]
          const bytes = Buffer.concat([...before, ...given.map(dataRow), ...behind])
          const { rows, driven, isGivenBack } = readInPieces(bytes, cuts)
          t.strictSame(rows, given)
          t.ok(driven.equals(Buffer.concat([...before, ...behind])))
          t.ok(isGivenBack)
        },
      ),
    )
  },
)

t.test('with an error the driver has its connection back', async (t) => {
  const refusal = Buffer.concat([message('E', Buffer.from('S\0')), message('Z', Buffer.from('I'))])
  const { rows, driven, isGivenBack } = readInPieces(refusal, [3])
  t.same([rows, driven.equals(refusal), isGivenBack], [[], true, true])
})
