import type { Readable } from 'node:stream'

/** Long, because kernel buffers hold megabytes, and accept more in steps of 20 s if a client reads 64 KiB/s. */
const windowMs = 30_000

/**
 * Returns a function that measures the client's rate in bytes per second. Only time in which the stream waits for
 * the client counts: `undefined` before 30 s of it. `now`: monotonic milliseconds.
 */
export const watchPace = (stream: Readable, now: () => number): (() => number | undefined) => {
  let last: { bytes: number; waitedMs: number } | undefined
  let current = { bytes: 0, waitedMs: 0 }
  let waitsSince: number | undefined
  const settle = (): void => {
    if (waitsSince === undefined) return
    const nowMs = now()
    current.waitedMs += nowMs - waitsSince
    waitsSince = nowMs
    if (current.waitedMs < windowMs) return
    last = current
    current = { bytes: 0, waitedMs: 0 }
  }
  // A `data` listener before the first `resume` would start the stream before its reader.
  stream.once('resume', () => {
    stream.on('data', (piece: Buffer) => {
      current.bytes += piece.length
    })
  })
  stream.on('pause', () => {
    waitsSince = now()
  })
  stream.on('resume', () => {
    settle()
    waitsSince = undefined
  })
  return () => {
    settle()
    if (!last) return undefined
    return ((last.bytes + current.bytes) * 1000) / (last.waitedMs + current.waitedMs)
  }
}
