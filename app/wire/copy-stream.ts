import { Readable } from 'node:stream'
import type { Connection, PoolClient, Submittable } from 'pg'
import { readCopy } from './copy-messages.ts'
import { createPieces } from './copy-pieces.ts'
import type { BytePosition } from './place.ts'
import type { RowEncoder } from './row.ts'

/** One statement, `COPY … TO STDOUT`, and how its rows are written. */
export type CopyStatement = Readonly<{ text: string; encoder: RowEncoder }>

export type CopyOptions = Readonly<{
  client: PoolClient
  /** Run one after the other. */
  statements: readonly CopyStatement[]
  /** What stands before the first row, and where there is none; it comes with what follows. */
  head: string
  /** Longest wait for the client while it takes `leastBytes`: it holds a connection and a snapshot. */
  idleMs: number
  /** Longest time from the first row to the last. */
  totalMs: number
  /** Called with the rows of each piece, when it is handed over. */
  onRows: (rows: number) => void
  /**
   * Called once, when the connection is not needed any more. `isClean`: all was read, so that it may serve others.
   * The stream ends once it resolves: a client that has everything can begin its next export.
   */
  onEnd: (isClean: boolean) => Promise<void>
}>

/** Longest that less than a piece waits for more. */
const lingerMs = 10
/**
 * A client must take this much while the export waits for it for `idleMs`. That is 4 KiB a second with the
 * default of a minute, before compression: even a modem is faster. Time in which the database is slow does not
 * count.
 */
const leastBytes = 256 * 1024

type Copying = Submittable & {
  handleCommandComplete(): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}

/** Bytes whose memory is used again once they are written. */
export type PieceStream = Readable & {
  /**
   * Set by the one who reads: whether all that was read is of no more use to it or to whom it passed it on. Else
   * each piece keeps its bytes for ever.
   */
  isWritten: () => boolean
}

const emptyView = new DataView(new ArrayBuffer(0))

/**
 * What the statements answer, as bytes, read as fast as they are taken and no faster: beyond a piece or two the
 * connection waits, and with it PostgreSQL. An error, of the database or of the client's patience, destroys the
 * stream, so that the answer is cut and no client takes a part for the whole.
 */
export const streamCopy = (options: CopyOptions): PieceStream => {
  const { client, idleMs, totalMs, onRows, onEnd } = options
  const ahead = [...options.statements]
  const pieces = createPieces()
  let connection: Connection | undefined
  let flushing: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined
  /** Bytes handed over, and milliseconds waited for the client, since it took `leastBytes` last. */
  let taken = 0
  let waitedMs = 0
  let waitsSince = 0
  let isOver = false
  let { head } = options

  const giveUp = (reason: string) => stream.destroy(new Error(`the export was cut: ${reason}`))
  const total = setTimeout(() => giveUp(`it took longer than ${totalMs / 1000} s`), totalMs)

  const flush = (): void => {
    clearTimeout(flushing)
    flushing = undefined
    const { piece, rows } = pieces.take()
    if (piece.length === 0 || stream.destroyed) return
    if (stream.readableLength === 0 && stream.isWritten()) pieces.reclaim()
    onRows(rows)
    pushHead()
    taken += piece.length
    if (taken >= leastBytes) {
      taken = 0
      waitedMs = 0
    }
    if (!stream.push(piece)) waitForClient()
  }
  const waitForClient = (): void => {
    connection?.stream.pause()
    if (idle) return
    waitsSince = performance.now()
    const reason = `the client took less than ${leastBytes / 1024} KiB in ${idleMs / 1000} s`
    idle = setTimeout(() => giveUp(reason), Math.max(0, idleMs - waitedMs))
  }
  const goOn = (): void => {
    if (idle) waitedMs += performance.now() - waitsSince
    clearTimeout(idle)
    idle = undefined
    connection?.stream.resume()
  }
  const pushHead = (): void => {
    if (head !== '') stream.push(head)
    head = ''
  }
  const next = (): void => {
    if (stream.destroyed) return
    const statement = ahead.shift()
    if (statement) {
      client.query(copy(statement))
      return
    }
    isOver = true
    pushHead()
    void onEnd(true).then(() => stream.push(null))
  }
  const copy = ({ text, encoder }: CopyStatement): Copying => ({
    submit(opened) {
      connection = opened
      const from: BytePosition = { view: emptyView, at: 0 }
      readCopy(opened.stream, (view, start, end) => {
        const bound = encoder.bound(end - start)
        if (!pieces.hasRoom(bound)) flush()
        from.view = view
        from.at = start
        pieces.add(from, encoder, bound)
        flushing ??= setTimeout(flush, lingerMs)
      })
      opened.query(text)
    },
    handleCommandComplete: flush,
    handleReadyForQuery: next,
    handleError: (error) => stream.destroy(error),
  })

  let isStarted = false
  const readable = new Readable({
    read() {
      goOn()
      if (isStarted) return
      isStarted = true
      next()
    },
    destroy(error, callback) {
      clearTimeout(idle)
      clearTimeout(total)
      clearTimeout(flushing)
      connection?.stream.resume()
      if (!isOver) void onEnd(false)
      callback(error)
    },
  })
  const stream: PieceStream = Object.assign(readable, { isWritten: () => false })
  // Whoever reads it hears of errors; before anybody does, they must not end the process.
  stream.on('error', () => {})
  return stream
}
