import type { Duplex } from 'node:stream'
import { divert } from './socket.ts'

/** A row as it came. */
type TakeRow = (bytes: Buffer) => void

/** A message (PostgreSQL's manual, "Message Formats"): a letter, and four bytes of length, which counts itself. */
const headBytes = 5
const dataRow = 'D'.charCodeAt(0)
/** What may stand before the row, and is the driver's: parsed, bound, the columns' names, a notice, a setting. */
const before = new Set([...'12TNS'].map((letter) => letter.charCodeAt(0)))

/**
 * Reads the rows of the statement that is about to be sent from under the driver, which would make a string of
 * each column: here a row's bytes are copied once, to where they stay. Every other message is the driver's; with
 * the first that ends the rows it has its connection back. To be called when nothing is under way on the connection.
 */
export const readRows = (socket: Duplex, take: TakeRow): void => {
  /** What came of a message whose rest is still under way: of a row its bytes, else the whole. */
  let row: Buffer | undefined
  let received = 0
  let rest: Buffer | undefined

  /** Copies what is there of the row; returns where it ends, or the bytes do. */
  const fill = (row: Buffer, bytes: Buffer, at: number): number => {
    const end = Math.min(bytes.length, at + row.length - received)
    bytes.copy(row, received, at, end)
    received += end - at
    return end
  }

  const read = (chunk: Buffer): void => {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    rest = undefined
    let at = 0
    while (row || bytes.length - at >= headBytes) {
      if (!row) {
        const code = bytes[at] as number
        const size = bytes.readUInt32BE(at + 1) + 1
        if (code === dataRow) {
          at += headBytes
          received = 0
          row = Buffer.allocUnsafeSlow(size - headBytes)
        } else if (!before.has(code)) {
          giveBack(Buffer.from(bytes.subarray(at)))
          return
        } else {
          if (at + size > bytes.length) break
          tell(Buffer.from(bytes.subarray(at, at + size)))
          at += size
          continue
        }
      }
      at = fill(row, bytes, at)
      if (received < row.length) return
      take(row)
      row = undefined
    }
    if (at < bytes.length) rest = Buffer.from(bytes.subarray(at))
  }
  const { tell, giveBack } = divert(socket, read)
}

/** Where a column's value lies in its row. */
export type ColumnRange = Readonly<{ start: number; end: number }>

/** The columns of a row, in order; undefined: null. */
export const splitColumns = (row: Buffer): (ColumnRange | undefined)[] => {
  const count = row.readUInt16BE(0)
  const columns = new Array<ColumnRange | undefined>(count)
  let at = 2
  for (let index = 0; index < count; index++) {
    const length = row.readInt32BE(at)
    at += 4
    if (length < 0) continue
    columns[index] = { start: at, end: at + length }
    at += length
  }
  return columns
}
