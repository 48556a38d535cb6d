import type { BytePosition } from './place.ts'
import type { RowEncoder } from './row.ts'

/** PostgreSQL sends 8 KiB at a time; to pass each on by itself would cost more than to write its rows. */
const pieceBytes = 64 * 1024
/** Room for some pieces, and for rows of 40 KB, which may become six times as long. */
const memoryBytes = 256 * 1024

type Memory = Readonly<{ bytes: Buffer; view: DataView }>

const allocate = (bytes: number): Memory => {
  const buffer = Buffer.allocUnsafeSlow(bytes)
  return { bytes: buffer, view: new DataView(buffer.buffer) }
}

/**
 * Writes rows one behind the other, to be taken piece by piece. Memory that was taken is written to again only after
 * `reclaim()`: else it would be new for every piece, and grow until the collector comes.
 */
export const createPieces = () => {
  let spare: Memory[] = []
  let taken: Memory[] = []
  let memory = allocate(memoryBytes)
  const to: BytePosition = { view: memory.view, at: 0 }
  let start = 0
  let rows = 0
  const renew = (bytes: number) => {
    if (memory.bytes.length === memoryBytes) taken.push(memory)
    memory = bytes > memoryBytes ? allocate(bytes) : (spare.pop() ?? allocate(memoryBytes))
    to.view = memory.view
    to.at = 0
    start = 0
  }
  return {
    /** Whether so many bytes still go into this piece; else `take` it first. */
    hasRoom: (bytes: number) => to.at - start < pieceBytes && memory.bytes.length - to.at >= bytes,
    /** Writes the row that begins at `from`, which becomes at most so many bytes. */
    add(from: BytePosition, encoder: RowEncoder, bytes: number): void {
      if (memory.bytes.length - to.at < bytes) renew(bytes)
      encoder.write(from, to)
      rows += 1
    },
    /** What was written since; may be empty. */
    take(): { piece: Buffer; rows: number } {
      const piece = { piece: memory.bytes.subarray(start, to.at), rows }
      start = to.at
      rows = 0
      return piece
    },
    /** Says that nobody reads any more what was taken. */
    reclaim(): void {
      if (taken.length === 0) return
      spare = [...spare, ...taken]
      taken = []
    },
  }
}
