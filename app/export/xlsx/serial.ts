/** 1900-03-01. Excel has a 1900-02-29, so earlier numbers are wrong (ECMA-376, 18.17.4.1). */
const firstSerial = 61
const serialOf1970 = 25_569
const dayMs = 86_400_000

/** Returns Excel's number of the day (YYYY-MM-DD) that a text begins with. `undefined` before 1900-03-01. */
export const toSerial = (text: string): number | undefined => {
  const serial = Date.parse(text.slice(0, 10)) / dayMs + serialOf1970
  return serial >= firstSerial ? serial : undefined
}

/** The precision of a double for the days of our time: less than a microsecond. */
const fractionDigits = 12
const microsecondsPerUnit = 0.0864

/** Returns Excel's number of an instant, the day with a fraction, as digits. `undefined` before 1900-03-01. */
export const toSerialTime = (instant: string): string | undefined => {
  const ms = Date.parse(instant)
  const day = Math.floor(ms / dayMs)
  const serial = day + serialOf1970
  if (!(serial >= firstSerial)) return undefined
  const ofDay = (ms - day * dayMs) * 1000 + Number(instant.slice(-4, -1))
  return `${serial}.${String(Math.round(ofDay / microsecondsPerUnit)).padStart(fractionDigits, '0')}`
}
