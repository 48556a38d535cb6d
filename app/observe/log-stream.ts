import { fstatSync, write, writeSync } from 'node:fs'
import { performance } from 'node:perf_hooks'

export type LogStream = {
  write(line: string): void
  /** Lines that could not be written and are given up. */
  readonly lost: number
}

/** Whole lines that go out together, or what is left of them. */
type Piece = { data: string | Buffer; bytes: number }

/** Kept while nothing can be written, half a second of the busiest log; lines beyond are given up. */
const mostBytes = 8_388_608
/** Lines go out together, so late or so many: a call of the system for each costs as much as half an answer. */
const batchMs = 50
const batchCharacters = 32_768
/**
 * Largest piece that is written at once. Lines that wait are written together. For a file, each turn of the event
 * loop takes one piece.
 */
const pieceBytes = 262_144
/** A pipe that is full is tried again so often. */
const fullMs = 5
/** A disk that is full, or a reader that is gone, so often, also where nothing is logged. */
const retryMs = 1_000
/** At the end a pipe's reader is waited for so long. */
const lastMs = 1_000

const countLines = (data: string | Buffer) => data.toString().split('\n').length - 1

const nap = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/**
 * Writes the log to `fd`, and survives a reader that is gone or a full disk. Lines that cannot be written are kept
 * for a while and retried. No answer waits for a line: a pipe says at once that it is full, and a file is written
 * beside the event loop.
 * `report` is called when writing fails or lines are dropped, and again when the backlog is empty or the process
 * ends. Both times it gets the number of lost lines.
 * `end` resolves when nothing is being written beside the event loop. Lines that are logged later are written after
 * that, at the latest when the process ends.
 */
export const openLogStream = (
  fd: number,
  report: (message: string) => void,
): LogStream & { end(): Promise<void> } => {
  const isFile = fstatSync(fd).isFile()
  let isBeside = isFile
  const kept: Piece[] = []
  let keptBytes = 0
  /** The first of what is kept is being written beside the loop. */
  let isUnderWay = false
  let onSettled: (() => void) | undefined
  let isFull = false
  let isFailing = false
  let isLosing = false
  let lost = 0
  let batch = ''
  let timer: NodeJS.Timeout | undefined

  const schedule = (ms: number) => {
    timer ??= setTimeout(flush, ms).unref()
  }
  /** In one piece with what waits last, where that has room and is not being written. */
  const append = (lines: string, bytes: number) => {
    const last = isUnderWay && kept.length === 1 ? undefined : kept.at(-1)
    if (typeof last?.data === 'string' && last.bytes + bytes <= pieceBytes) {
      last.data += lines
      last.bytes += bytes
    } else kept.push({ data: lines, bytes })
    keptBytes += bytes
  }
  const keep = (lines: string) => {
    const bytes = Buffer.byteLength(lines)
    if (keptBytes + bytes <= mostBytes) return append(lines, bytes)
    lost += countLines(lines)
    if (!isFailing && !isLosing)
      report(`the log is not ${isFile ? 'written' : 'read'} in time: lines are given up`)
    isLosing = true
  }
  const remove = (written: number) => {
    const { data, bytes } = kept[0] as Piece
    keptBytes -= written
    if (written === bytes) kept.shift()
    else {
      const all = typeof data === 'string' ? Buffer.from(data) : data
      kept[0] = { data: all.subarray(written), bytes: bytes - written }
    }
  }
  const fail = ({ code, message }: NodeJS.ErrnoException) => {
    isFull = code === 'EAGAIN'
    schedule(isFull ? fullMs : retryMs)
    if (isFull) return
    if (!isFailing) report(`the log cannot be written (${code ?? message}): the service goes on without`)
    isFailing = true
  }
  // Not with each piece that is taken: lines would be given up between them, and each time it was said.
  const recover = () => {
    if (isFailing || isLosing)
      report(`the log is ${isFailing || isFile ? 'written' : 'read'} again; lines lost: ${lost}`)
    isFailing = false
    isLosing = false
  }
  const onWritten = (error: NodeJS.ErrnoException | null, written: number) => {
    isUnderWay = false
    if (error) fail(error)
    else {
      remove(written)
      if (kept.length === 0) recover()
      else writeKept()
    }
    onSettled?.()
  }
  const writeKept = () => {
    while (kept.length > 0 && !isUnderWay) {
      // A string of one piece is written as it is; what is left of one is a buffer. Both have the same signature.
      const data = (kept[0] as Piece).data as string
      if (isBeside) {
        isUnderWay = true
        return write(fd, data, onWritten)
      }
      try {
        remove(writeSync(fd, data))
      } catch (error) {
        return fail(error as NodeJS.ErrnoException)
      }
      if (kept.length === 0) recover()
    }
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const lines = batch
    batch = ''
    // First what is kept, so that there may be room.
    writeKept()
    if (lines !== '') keep(lines)
    writeKept()
  }

  process.once('exit', () => {
    isBeside = false
    let unsure = 0
    if (isUnderWay) {
      // Node ends no process before its pool is through, so this piece is tried, and not to be written twice. It comes
      // first unless the pool is so busy that it has not begun by then; lines carry their time. What became of it
      // nobody hears: it is taken for lost where what follows it is.
      nap(fullMs)
      const { data, bytes } = kept[0] as Piece
      unsure = countLines(data)
      remove(bytes)
      isUnderWay = false
    }
    flush()
    const untilMs = performance.now() + lastMs
    while (kept.length > 0 && isFull && performance.now() < untilMs) {
      nap(fullMs)
      writeKept()
    }
    const left = kept.reduce((lines, { data }) => lines + countLines(data), isFailing ? unsure : 0)
    if (kept.length > 0 || isFailing || isLosing)
      report(`the log ends before it was written; lines lost: ${lost + left}`)
  })
  return {
    write: (line) => {
      batch += line
      if (batch.length >= batchCharacters) flush()
      else schedule(batchMs)
    },
    get lost() {
      return lost
    },
    async end() {
      isBeside = false
      if (isUnderWay)
        await new Promise<void>((resolve) => {
          onSettled = resolve
        })
    },
  }
}
