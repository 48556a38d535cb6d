import type { Duplex } from 'node:stream'
import { slackBytes } from './place.ts'
import { divert } from './socket.ts'

/** Takes a row: bytes from `start` to `end` and slack behind them, good until it returns. */
type TakeCopyRow = (view: DataView, start: number, end: number) => void

/** A message (PostgreSQL's manual, "Message Formats"): a letter, and four bytes of length, which counts itself. */
const headBytes = 5
const copyData = 'd'.charCodeAt(0)
/** What may stand before and between rows, and is the driver's. */
const others = new Set([...'HSNA'].map((letter) => letter.charCodeAt(0)))

/** Twice what is read from a socket at once: to be moved seldom. */
const usualBytes = 128 * 1024

/** Received bytes that are not read yet, from `start` to `end`; the memory is the same again and again. */
const createWindow = () => {
  let bytes = Buffer.allocUnsafeSlow(usualBytes)
  const window = { view: new DataView(bytes.buffer), start: 0, end: 0 }
  const makeRoom = (more: number) => {
    const { start, end } = window
    const needed = end - start + more + slackBytes
    const former = bytes
    if (needed > bytes.length) bytes = Buffer.allocUnsafeSlow(2 * needed)
    former.copy(bytes, 0, start, end)
    Object.assign(window, { view: new DataView(bytes.buffer), start: 0, end: end - start })
  }
  return Object.assign(window, {
    add(chunk: Buffer): void {
      if (window.start === window.end) window.start = window.end = 0
      if (window.end + chunk.length + slackBytes > bytes.length) makeRoom(chunk.length)
      window.end += chunk.copy(bytes, window.end)
    },
    /** A copy, for who may keep it. */
    slice: (start: number, end: number) => Buffer.from(bytes.subarray(start, end)),
  })
}

/**
 * Reads the rows of the `COPY` that is about to be sent from under the driver, which would make an object and two
 * events of each. Every other message is the driver's; with the first that ends the rows it has its connection
 * back. To be called when nothing is under way on it.
 */
export const readCopy = (socket: Duplex, take: TakeCopyRow): void => {
  const window = createWindow()

  const read = (chunk: Buffer): void => {
    window.add(chunk)
    const { view, end: filled } = window
    let at = window.start
    while (filled - at >= headBytes) {
      const code = view.getUint8(at)
      const end = at + 1 + view.getUint32(at + 1)
      if (code === copyData) {
        if (end > filled) break
        take(view, at + headBytes, end)
      } else if (others.has(code)) {
        if (end > filled) break
        tell(window.slice(at, end))
      } else {
        giveBack(window.slice(at, filled))
        return
      }
      at = end
    }
    window.start = at
  }
  const { tell, giveBack } = divert(socket, read)
}
