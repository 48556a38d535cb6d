import type { Readable } from 'node:stream'

/**
 * Shortest time for a rate. The buffers of the kernels take a few megabytes before the client has read anything, and
 * they empty in steps of about a megabyte, which is 20 s at 64 KiB/s.
 */
const windowMs = 30_000

/**
 * Measures how fast a client reads a piped stream. Only time in which the stream waits for the client counts, so a slow
 * database does not make the client slow. The function that it returns gives bytes per second over the last one or
 * two windows, and `undefined` before the first window is over. `now` returns monotonic milliseconds.
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
  // A listener for data would start the stream before its reader is there.
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
