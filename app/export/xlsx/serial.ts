/** Excel treats 1900 as a leap year, so its count is right only from 1900-03-01 (ECMA-376, 18.17.4.1). */
const firstSerial = 61
const serialOf1970 = 25_569
const dayMs = 86_400_000

/** Returns the serial number of the day YYYY-MM-DD that a text begins with, or `undefined` before 1900-03-01. */
export const toSerial = (text: string): number | undefined => {
  const serial = Date.parse(text.slice(0, 10)) / dayMs + serialOf1970
  return serial >= firstSerial ? serial : undefined
}

/** Decimals that a present-day serial number can hold: less than a microsecond. */
const fractionDigits = 12
const microsecondsPerUnit = 0.0864

const time = /T(\d\d):(\d\d):(\d\d)\.(\d{6})Z$/

/** Returns the serial number of an instant with its time of day, as digits. `undefined` before 1900-03-01. */
export const toSerialTime = (instant: string): string | undefined => {
  const serial = toSerial(instant)
  const [, hours, minutes, seconds, micros] = time.exec(instant) ?? []
  if (serial === undefined || micros === undefined) return undefined
  const ofDay = (3600 * Number(hours) + 60 * Number(minutes) + Number(seconds)) * 1e6 + Number(micros)
  return `${serial}.${String(Math.round(ofDay / microsecondsPerUnit)).padStart(fractionDigits, '0')}`
}
