import { type BytePosition, writeByte } from '../../wire/place.ts'

/**
 * Dates as Excel counts them: days since 1899-12-31. Excel takes 1900 for a leap year, so the count is right only
 * from 1900-03-01 on (ECMA-376 part 1, 18.17.4.1).
 */
const firstSerial = 61
const serialOf1970 = 25_569

const dayMs = 86_400_000
const dash = '-'.charCodeAt(0)
const point = '.'.charCodeAt(0)
const zero = '0'.charCodeAt(0)

const readDigits = ({ view }: BytePosition, at: number, count: number): number => {
  let value = 0
  for (let i = at; i < at + count; i++) value = 10 * value + view.getUint8(i) - zero
  return value
}

/**
 * Returns the serial number of the day `YYYY-MM-DD` that begins at `from`, which stays there. Returns undefined for
 * a day before 1900-03-01 or after 9999-12-31: Excel cannot count it.
 */
export const readSerial = (from: BytePosition): number | undefined => {
  const { view, at } = from
  // PostgreSQL writes years beyond 9999 with more digits, and `infinity` in letters.
  if (view.getUint8(at + 4) !== dash) return undefined
  const [year, month, day] = [
    readDigits(from, at, 4),
    readDigits(from, at + 5, 2),
    readDigits(from, at + 8, 2),
  ]
  if (!(year >= 1900)) return undefined
  const serial = Date.UTC(year, month - 1, day) / dayMs + serialOf1970
  return serial >= firstSerial ? serial : undefined
}

/** Digits after the point that a serial number of today can hold: less than a microsecond. */
const fractionDigits = 12
/** Microseconds of a day, divided by 10 ^ fractionDigits. */
const microsecondsPerUnit = 0.0864

/** Returns the part of the day in `10 ^ -12` days at `HH:MM:SS[.ffffff]`, which begins at `at`. */
const readTime = (from: BytePosition, at: number): number => {
  const seconds =
    3600 * readDigits(from, at, 2) + 60 * readDigits(from, at + 3, 2) + readDigits(from, at + 6, 2)
  let micros = 0
  if (from.view.getUint8(at + 8) === point) {
    for (let i = 0, isOver = false; i < 6; i++) {
      const digit: number = isOver ? 0 : from.view.getUint8(at + 9 + i) - zero
      isOver = isOver || digit < 0 || digit > 9
      micros = 10 * micros + (isOver ? 0 : digit)
    }
  }
  return Math.round((seconds * 1_000_000 + micros) / microsecondsPerUnit)
}

const writeDigits = (to: BytePosition, value: number, count: number): void => {
  let rest = value
  for (let i = to.at + count; i-- > to.at; ) {
    to.view.setUint8(i, zero + (rest % 10))
    rest = Math.floor(rest / 10)
  }
  to.at += count
}

/** Writes a serial number: of five digits until the year 2173, then six or seven. */
export const writeSerial = (to: BytePosition, serial: number): void =>
  writeDigits(to, serial, String(serial).length)

/** Writes the serial number with the time of day, which begins at `at` of the cell. */
export const writeSerialTime = (from: BytePosition, at: number, to: BytePosition, serial: number): void => {
  writeSerial(to, serial)
  writeByte(to, point)
  writeDigits(to, readTime(from, at), fractionDigits)
}
