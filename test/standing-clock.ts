/** A `TestClock` that moves only if the test moves it, so that no minute and no token ends by itself. */
export const createStandingClock = (at = Date.now()) => ({
  at,
  get offsetMs() {
    return this.at - Date.now()
  },
  set offsetMs(ms: number) {
    this.at = Date.now() + ms
  },
})
