import type { Duplex } from 'node:stream'

/** Takes a row: bytes from `start` to `end`, good until it returns. */
export type TakeRow = (bytes: Buffer, start: number, end: number) => void

/** A message (PostgreSQL's manual, "Message Formats"): a letter, and four bytes of length, which counts itself. */
const headBytes = 5
const copyData = 'd'.charCodeAt(0)
/** What may stand before and between rows, and is the driver's. */
const others = new Set([...'HSNA'].map((letter) => letter.charCodeAt(0)))

/**
 * Reads the rows of the `COPY` that is about to be sent from under the driver, which would make an object and two
 * events of each. Every other message is the driver's; with the first that ends the rows it has its connection
 * back. To be called when nothing is under way on it.
 */
export const readCopy = (socket: Duplex, take: TakeRow): void => {
  const [driver, ...more] = socket.listeners('data') as ((bytes: Buffer) => void)[]
  if (!driver || more.length > 0) throw new Error('the connection is not read by the driver alone')
  let rest: Buffer | undefined

  const read = (chunk: Buffer): void => {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    while (bytes.length - at >= headBytes) {
      const code = bytes[at] as number
      const end = at + 1 + bytes.readUInt32BE(at + 1)
      if (code !== copyData && !others.has(code)) {
        socket.off('data', read)
        socket.on('data', driver)
        driver(bytes.subarray(at))
        return
      }
      if (end > bytes.length) break
      if (code === copyData) take(bytes, at + headBytes, end)
      else driver(bytes.subarray(at, end))
      at = end
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined
  }
  socket.off('data', driver)
  socket.on('data', read)
}
