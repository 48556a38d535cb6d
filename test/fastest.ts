/**
 * Returns the milliseconds of the first try that took less than was promised, else of the fastest of three: a machine may
 * stand still during one of them.
 */
export const fastest = async (promisedMs: number, measure: () => Promise<number>): Promise<number> => {
  let leastMs = Number.POSITIVE_INFINITY
  for (let tries = 1; tries <= 3 && leastMs >= promisedMs; tries++) {
    leastMs = Math.min(leastMs, await measure())
  }
  return leastMs
}
