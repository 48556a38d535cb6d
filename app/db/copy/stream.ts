import { Readable } from 'node:stream'
import type { Connection, PoolClient, Submittable } from 'pg'
import type { RowEncoder } from '../../export/row.ts'
import { readCopy } from './messages.ts'

/** One statement, `COPY … TO STDOUT`, and how its rows are written. */
export type CopyStatement = Readonly<{ text: string; encoder: RowEncoder }>

export type CopyOptions = Readonly<{
  client: PoolClient
  /** Run one after the other. */
  statements: readonly CopyStatement[]
  /** What stands before the first row, and where there is none; it comes with what follows. */
  head: string
  /** A client that takes nothing for so long is given up: it holds a connection and a snapshot. */
  idleMs: number
  /** The same for one that takes longer in all. */
  totalMs: number
  /** Called with the rows of each piece, when it is handed over. */
  onRows: (rows: number) => void
  /** Called once, when the connection is needed no more: whether all was read, so that it may serve others. */
  onEnd: (isClean: boolean) => void
}>

/** Bytes written before others are allocated. */
const slabBytes = 256 * 1024
/** PostgreSQL sends 8 KiB at a time; to pass each on by itself would cost more than to write its rows. */
const pieceBytes = 64 * 1024
/** Longest that less than a piece waits for more. */
const lingerMs = 10

/** Writes rows one behind the other into memory that is allocated in large pieces. */
const createWriter = () => {
  let slab = Buffer.allocUnsafeSlow(0)
  let start = 0
  let at = 0
  let rows = 0
  return {
    /** Whether this row starts another slab: then take what is there first. */
    hasRoom: (bytes: number) => slab.length - at >= bytes,
    renew(bytes: number): void {
      slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, bytes))
      start = 0
      at = 0
    },
    add(bytes: Uint8Array, rowStart: number, encoder: RowEncoder): void {
      at = encoder.write(bytes, rowStart, slab, at)
      rows += 1
    },
    get size() {
      return at - start
    },
    take(): { piece: Buffer; rows: number } {
      const taken = { piece: slab.subarray(start, at), rows }
      start = at
      rows = 0
      return taken
    },
  }
}

type Copying = Submittable & {
  handleCommandComplete(): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}

/**
 * What the statements answer, as bytes, read as fast as they are taken and no faster: beyond a piece or two the
 * connection waits, and with it PostgreSQL. An error, of the database or of the client's patience, destroys the
 * stream, so that the answer is cut and no client takes a part for the whole.
 */
export const streamCopy = (options: CopyOptions): Readable => {
  const { client, idleMs, totalMs, onRows, onEnd } = options
  const ahead = [...options.statements]
  const writer = createWriter()
  let connection: Connection | undefined
  let flushing: NodeJS.Timeout | undefined
  let idle: NodeJS.Timeout | undefined
  let isOver = false
  let { head } = options

  const giveUp = (reason: string) => stream.destroy(new Error(`the export was cut: ${reason}`))
  const total = setTimeout(() => giveUp(`it took longer than ${totalMs / 1000} s`), totalMs)

  const flush = (): void => {
    clearTimeout(flushing)
    flushing = undefined
    const { piece, rows } = writer.take()
    if (piece.length === 0 || stream.destroyed) return
    onRows(rows)
    pushHead()
    if (stream.push(piece)) return
    connection?.stream.pause()
    idle ??= setTimeout(() => giveUp(`the client took nothing for ${idleMs / 1000} s`), idleMs)
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
    stream.push(null)
    onEnd(true)
  }
  const copy = ({ text, encoder }: CopyStatement): Copying => ({
    submit(opened) {
      connection = opened
      readCopy(opened.stream, (bytes, start, end) => {
        const bound = encoder.bound(end - start)
        if (!writer.hasRoom(bound)) {
          flush()
          writer.renew(bound)
        }
        writer.add(bytes, start, encoder)
        if (writer.size >= pieceBytes) flush()
        else flushing ??= setTimeout(flush, lingerMs)
      })
      opened.query(text)
    },
    handleCommandComplete: flush,
    handleReadyForQuery: next,
    handleError: (error) => stream.destroy(error),
  })

  let isStarted = false
  const stream = new Readable({
    read() {
      clearTimeout(idle)
      idle = undefined
      connection?.stream.resume()
      if (isStarted) return
      isStarted = true
      next()
    },
    destroy(error, callback) {
      clearTimeout(idle)
      clearTimeout(total)
      clearTimeout(flushing)
      connection?.stream.resume()
      if (!isOver) onEnd(false)
      callback(error)
    },
  })
  // Whoever reads it hears of errors; before anybody does, they must not end the process.
  stream.on('error', () => {})
  return stream
}
