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

const time = /T(\d\d):(\d\d):(\d\d)\.(\d{6})Z$/

/** Returns Excel's number of an instant, the day with a fraction, as digits. `undefined` before 1900-03-01. */
export const toSerialTime = (instant: string): string | undefined => {
  const serial = toSerial(instant)
  const [, hours, minutes, seconds, micros] = time.exec(instant) ?? []
  if (serial === undefined || micros === undefined) return undefined
  const ofDay = (3600 * Number(hours) + 60 * Number(minutes) + Number(seconds)) * 1e6 + Number(micros)
  return `${serial}.${String(Math.round(ofDay / microsecondsPerUnit)).padStart(fractionDigits, '0')}`
}
