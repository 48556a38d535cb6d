/** Long, because kernel buffers hold megabytes, and accept more in steps of 20 s if a client reads 64 KiB/s. */
const windowMs = 30_000

/**
 * Creates a measurement of a client's rate: `add` what it took, and the time for which a stream waited for it. `get`
 * returns bytes per second of this time, or `undefined` before 30 s of it.
 */
export const createPace = () => {
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
