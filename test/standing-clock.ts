/**
 * A clock of the service that stands still until the test moves it: no minute ends by itself, no token does, and nothing
 * that is done every few seconds is due.
 */
export const createStandingClock = (at = Date.now()) => ({
  at,
  /** Milliseconds added to the wall clock, as in `TestClock`. */
  get offsetMs() {
    return this.at - Date.now()
  },
  set offsetMs(ms: number) {
    this.at = Date.now() + ms
  },
})
