const seconds = /^\d{1,9}$/
const date = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Returns the delay of `Retry-After` (RFC 9110, section 10.2.3) in ms. `undefined` if it is missing or malformed. */
export const parseRetryAfter = (value: string | undefined, nowMs: number): number | undefined => {
  if (value === undefined) return undefined
  if (seconds.test(value)) return Number(value) * 1000
  const at = date.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
