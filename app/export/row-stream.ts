import { Readable } from 'node:stream'

export type RowStreamOptions = Readonly<{
  /** The bytes of the file. Must not yield empty pieces. */
  pieces: AsyncIterator<string | Buffer>
  /** Longest time in ms that the client may take for `leastBytes`. A slow client holds a connection and a snapshot. */
  idleMs: number
  /** Longest time in ms from the first row to the last. */
  totalMs: number
  /** Called once the last piece was read. The stream ends when it resolves. */
  finish: () => Promise<void>
  /** Called if the stream is destroyed earlier. */
  abandon: () => void
}>

/**
 * A client must take this much while the export waits for it for `idleMs`. That is 4 KiB a second with the default of a
 * minute, before compression. Time in which the database is slow does not count.
 */
const leastBytes = 256 * 1024

/**
 * Streams an export as fast as the client reads. An error of the database, or a client that is too slow, destroys the
 * stream: the answer is cut, so that no client takes a part for the whole.
 */
export const streamRows = ({ pieces, idleMs, totalMs, finish, abandon }: RowStreamOptions): Readable => {
  let isOver = false
  let idle: NodeJS.Timeout | undefined
  /** Bytes taken, and milliseconds waited for the client, since it last took `leastBytes`. */
  let taken = 0
  let waitedMs = 0
  let waitsSince = 0

  const giveUp = (reason: string) => stream.destroy(new Error(`the export was cut: ${reason}`))
  const total = setTimeout(() => giveUp(`it took longer than ${totalMs / 1000} s`), totalMs)

  const waitForClient = (): void => {
    waitsSince = performance.now()
    const reason = `the client took less than ${leastBytes / 1024} KiB in ${idleMs / 1000} s`
    idle = setTimeout(() => giveUp(reason), Math.max(0, idleMs - waitedMs))
  }
  const stopWaiting = (): void => {
    if (idle) waitedMs += performance.now() - waitsSince
    clearTimeout(idle)
    idle = undefined
  }
  const pushPiece = (piece: string | Buffer): void => {
    taken += piece.length
    if (taken >= leastBytes) {
      taken = 0
      waitedMs = 0
    }
    // `read` follows when the client has taken enough. With `push` it may follow immediately.
    waitForClient()
    stream.push(piece)
  }
  const next = async (): Promise<void> => {
    const { value, done } = await pieces.next()
    if (stream.destroyed) return
    if (!done) {
      pushPiece(value)
      return
    }
    isOver = true
    await finish()
    stream.push(null)
  }

  const stream = new Readable({
    highWaterMark: 64 * 1024,
    read() {
      stopWaiting()
      next().catch((error: Error) => stream.destroy(error))
    },
    destroy(error, callback) {
      clearTimeout(idle)
      clearTimeout(total)
      if (!isOver) abandon()
      // Frees the memory of a writer that has more to write.
      pieces.return?.().catch(() => {})
      callback(error)
    },
  })
  // An error before the stream has a reader must not end the process.
  stream.on('error', () => {})
  return stream
}
