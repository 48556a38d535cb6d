/** A point on two clocks, in milliseconds. */
export type ClockReading = Readonly<{ monotonic: number; wall: number }>

export type LeaseClock = {
  now(): ClockReading
  /** Milliseconds since, by whichever clock moved more. */
  since(moment: ClockReading): number
}

/**
 * Ages for leases. The monotonic clock stands still while a machine is suspended and the wall clock may be set
 * back: by the one that moved more, a lease is never thought younger than it is.
 */
export const createLeaseClock = (monotonic: () => number, wall: () => number): LeaseClock => ({
  now: () => ({ monotonic: monotonic(), wall: wall() }),
  since: (moment) => Math.max(monotonic() - moment.monotonic, wall() - moment.wall),
})
