import { Readable } from 'node:stream'

export type RowStreamOptions = Readonly<{
  pieces: AsyncIterator<string | Buffer>
  /** The client must take `leastBytes` in this waiting time: an export holds a connection and a snapshot. */
  idleMs: number
  totalMs: number
  /** Monotonic milliseconds. */
  now?: () => number
  finish: () => Promise<void>
  abandon: () => void
}>

/** 4 KiB/s, at the default `idleMs` of a minute. */
const leastBytes = 256 * 1024

/** Long: kernel buffers hold megabytes, and accept more only every 20 s if a client reads 64 KiB/s. */
const windowMs = 30_000

/** Measures a client's rate in bytes per second of waiting for the client. */
const createPace = () => {
  let last: { bytes: number; waitedMs: number } | undefined
  let current = { bytes: 0, waitedMs: 0 }
  return {
    add(bytes: number, waitedMs: number): void {
      current.bytes += bytes
      current.waitedMs += waitedMs
      if (current.waitedMs < windowMs) return
      last = current
      current = { bytes: 0, waitedMs: 0 }
    },
    get: (): number | undefined =>
      last && ((last.bytes + current.bytes) * 1000) / (last.waitedMs + current.waitedMs),
  }
}

/**
 * Streams an export. An error, a slow client or `totalMs` destroys the stream, so that no client takes a part
 * for the whole. Awaits `finish` before the end. Calls `abandon` if the stream is destroyed before `pieces`
 * end. `getPace` returns the client's bytes per second, or `undefined` before 30 s of waiting.
 */
export const streamRows = (options: RowStreamOptions) => {
  const { pieces, idleMs, totalMs, finish, abandon, now = () => performance.now() } = options
  const pace = createPace()
  let isOver = false
  let idle: NodeJS.Timeout | undefined
  let taken = 0
  let waitedMs = 0
  let waitsSince: number | undefined
  let pushed = 0

  const giveUp = (reason: string) => stream.destroy(new Error(`the export was cut: ${reason}`))
  const total = setTimeout(() => giveUp(`it took longer than ${totalMs / 1000} s`), totalMs)

  const noteWait = (): void => {
    if (waitsSince === undefined) return
    const nowMs = now()
    pace.add(0, nowMs - waitsSince)
    waitedMs += nowMs - waitsSince
    waitsSince = nowMs
  }
  const waitForClient = (): void => {
    waitsSince = now()
    const reason = `the client took less than ${leastBytes / 1024} KiB in ${idleMs / 1000} s`
    idle = setTimeout(() => giveUp(reason), Math.max(0, idleMs - waitedMs))
  }
  const stopWaiting = (): void => {
    pace.add(pushed, 0)
    noteWait()
    pushed = 0
    waitsSince = undefined
    clearTimeout(idle)
  }
  const pushPiece = (piece: string | Buffer): void => {
    pushed = Buffer.byteLength(piece)
    taken += pushed
    if (taken >= leastBytes) {
      taken = 0
      waitedMs = 0
    }
    // Before `push`, which may call `read` synchronously.
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
      // Lets an unfinished writer free its memory.
      pieces.return?.().catch(() => {})
      callback(error)
    },
  })
  // Without a listener, an error before the stream has a reader would end the process.
  stream.on('error', () => {})
  const getPace = () => {
    noteWait()
    return pace.get()
  }
  return { stream, getPace }
}
