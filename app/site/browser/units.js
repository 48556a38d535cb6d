/** The service imports this file, too, for `/status` and `/`. */

/** Never rounds up: 0.99996 is "99.996 %", and only 1 is "100 %". @param {number | null | undefined} share */
export const percent = (share) => {
  if (share === null || share === undefined) return 'no data'
  if (share === 1) return '100 %'
  // 0.9999 * 100_000 is 99989.99…, so add the binary error before rounding down.
  const digits = share >= 0.99 ? 3 : 1
  const scale = 10 ** digits
  return `${(Math.floor(share * 100 * scale + 1e-6) / scale).toFixed(digits)} %`
}

/** @param {number | null | undefined} ms */
export const milliseconds = (ms) => {
  if (ms === null || ms === undefined) return 'no data'
  if (ms >= 10_000) return `${(ms / 1000).toFixed(0)} s`
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(ms < 1 ? 2 : 1)} ms`
}

/** @param {number | null | undefined} count */
export const number = (count) =>
  count === null || count === undefined ? 'no data' : count.toLocaleString('en-GB')

export const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
export const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
/** @param {string} instant */
export const moment = (instant) => `${date.format(new Date(instant))}, ${time.format(new Date(instant))} UTC`

/**
 * Writes when something is due. Midnight is the end of the day before. The browser's time zone is the default.
 * @param {string} instant @param {string} [timeZone]
 */
export const deadline = (instant, timeZone) => {
  const at = Date.parse(instant)
  const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone })
  const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone }).format(at)
  return clock === '00:00' ? `the end of ${day.format(at - 1)}` : `${day.format(at)} at ${clock}`
}

/** @param {number} seconds */
export const duration = (seconds) => {
  if (seconds < 60) return `${Math.round(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`
  return `${(minutes / 1440).toFixed(1)} days`
}
