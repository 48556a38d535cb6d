/** A point on two clocks, in milliseconds. */
export type Moment = Readonly<{ monotonic: number; wall: number }>

export type LeaseClock = {
  now(): Moment
  /** Milliseconds since, by whichever clock moved more. */
  since(moment: Moment): number
}

/**
 * Ages for leases. The monotonic clock stands still while a machine is suspended and the wall clock may be set
 * back: by the one that moved more, a lease is never thought younger than it is.
 */
export const createLeaseClock = (monotonic: () => number, wall: () => number): LeaseClock => ({
  now: () => ({ monotonic: monotonic(), wall: wall() }),
  since: (moment) => Math.max(monotonic() - moment.monotonic, wall() - moment.wall),
})
