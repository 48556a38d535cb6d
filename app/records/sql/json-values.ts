import { writeEscaped } from '../../wire/json-string.ts'
import {
  type BytePosition,
  hasMark,
  toConstant,
  toMarks,
  writeByte,
  writeConstant,
} from '../../wire/place.ts'

/** Bytes of a number in PostgreSQL's binary form. */
export const numberBytes = 4
const [comma, quote, backslash] = [0x2c, 0x22, 0x5c]
const [colon, point, letterT, letterZ] = [0x3a, 0x2e, 0x54, 0x5a]

/** Writes a value of so many bytes; both places are behind it then. There is room for six times as many and 32. */
export type WriteValue = (from: BytePosition, length: number, to: BytePosition) => void
export const largestGrowth = 6
export const roomForShort = 32

/** What stands for an absent value. */
export const nullText = toConstant('null')
const trueText = toConstant('true')
const falseText = toConstant('false')

const marks = toMarks(quote, backslash)
const isPlain = (byte: number) => byte >= 0x20 && byte !== quote && byte !== backslash

const copyEscaped = (from: BytePosition, end: number, to: BytePosition): void => {
  for (; from.at < end; from.at++) {
    const byte = from.view.getUint8(from.at)
    if (isPlain(byte)) writeByte(to, byte)
    else writeEscaped(to, byte)
  }
}

/** A text as a string of JSON. */
export const writeText: WriteValue = (from, length, to) => {
  const end = from.at + length
  writeByte(to, quote)
  // Four bytes at a time, as long as none of them has to be escaped.
  while (from.at + 4 <= end) {
    const word = from.view.getInt32(from.at, true)
    if (hasMark(word, marks)) {
      copyEscaped(from, from.at + 4, to)
      continue
    }
    to.view.setInt32(to.at, word, true)
    to.at += 4
    from.at += 4
  }
  copyEscaped(from, end, to)
  writeByte(to, quote)
}

/** Numbers from 0 to 99 as two digits, in the order of memory. */
const pairs = Int16Array.from({ length: 100 }, (_, number) =>
  Buffer.from(String(number).padStart(2, '0')).readInt16LE(),
)

const writePair = (to: BytePosition, number: number): void => {
  to.view.setInt16(to.at, pairs[number] as number, true)
  to.at += 2
}

/** From 0000-03-01 to 2000-01-01, where PostgreSQL's days begin. */
const daysBefore = 730_425
const [daysOfCycle, yearsOfCycle] = [146_097, 400]

/**
 * A day of the Gregorian calendar as `YYYY-MM-DD` (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms",
 * civil_from_days). Whole numbers by `| 0`, because those of floating point take three times as long.
 */
const formatDay = (days: number): string => {
  const since = (days + daysBefore) | 0
  const cycle = Math.floor(since / daysOfCycle)
  const day = (since - cycle * daysOfCycle) | 0
  const year = ((day - ((day / 1460) | 0) + ((day / 36_524) | 0) - ((day / 146_096) | 0)) / 365) | 0
  const dayOfYear = (day - (365 * year + ((year / 4) | 0) - ((year / 100) | 0))) | 0
  const fromMarch = ((5 * dayOfYear + 2) / 153) | 0
  const month = fromMarch >= 10 ? fromMarch - 9 : fromMarch + 3
  const years = year + cycle * yearsOfCycle + Number(fromMarch >= 10)
  const dayOfMonth = dayOfYear - (((153 * fromMarch + 2) / 5) | 0) + 1
  const twoDigits = (number: number) => String(number).padStart(2, '0')
  return `${String(years).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(dayOfMonth)}`
}

const dayBytes = 10
/** A power of two: days that are remembered, each where its last bits say; seven years in a row. */
const daysRemembered = 2048
const dayWords = Math.ceil(dayBytes / 4)
const noDay = -(2 ** 31)
const rememberedDays = new Int32Array(daysRemembered).fill(noDay)
const rememberedWords = new Int32Array(daysRemembered * dayWords)

/** Writes the day, counted from 2000-01-01, and up to two bytes behind it. */
const writeDay = (to: BytePosition, days: number): void => {
  const slot = days & (daysRemembered - 1)
  const first = slot * dayWords
  if (rememberedDays[slot] !== days) {
    rememberedDays[slot] = days
    rememberedWords.set(toConstant(formatDay(days)).words, first)
  }
  to.view.setInt32(to.at, rememberedWords[first] as number, true)
  to.view.setInt32(to.at + 4, rememberedWords[first + 1] as number, true)
  to.view.setInt32(to.at + 8, rememberedWords[first + 2] as number, true)
  to.at += dayBytes
}

/** Days since 2000-01-01. The tables let no others in than those of the years 1 to 9999. */
export const writeDate: WriteValue = (from, length, to) => {
  writeByte(to, quote)
  writeDay(to, from.view.getInt32(from.at))
  writeByte(to, quote)
  from.at += length
}

const [secondMicros, dayMicros] = [1e6, 86_400e6]

/** Microseconds since 2000-01-01T00:00:00Z, exact as numbers for 285 years to either side. */
export const writeInstant: WriteValue = (from, length, to) => {
  const sinceThen = from.view.getInt32(from.at) * 2 ** 32 + from.view.getUint32(from.at + 4)
  const days = Math.floor(sinceThen / dayMicros)
  const ofDay = sinceThen - days * dayMicros
  const seconds = (ofDay / secondMicros) | 0
  const micros = (ofDay - seconds * secondMicros) | 0
  const minutes = (seconds / 60) | 0
  writeByte(to, quote)
  writeDay(to, days)
  writeByte(to, letterT)
  writePair(to, (minutes / 60) | 0)
  writeByte(to, colon)
  writePair(to, minutes % 60)
  writeByte(to, colon)
  writePair(to, seconds % 60)
  writeByte(to, point)
  writePair(to, (micros / 10_000) | 0)
  writePair(to, ((micros / 100) | 0) % 100)
  writePair(to, micros % 100)
  writeByte(to, letterZ)
  writeByte(to, quote)
  from.at += length
}

/** A whole number of four or eight bytes. */
export const writeInteger: WriteValue = (from, length, to) => {
  const text = String(length === 8 ? from.view.getBigInt64(from.at) : from.view.getInt32(from.at))
  for (let i = 0; i < text.length; i++) writeByte(to, text.charCodeAt(i))
  from.at += length
}

/** `true` or `false`. */
export const writeBoolean: WriteValue = (from, length, to) => {
  writeConstant(to, from.view.getUint8(from.at) === 1 ? trueText : falseText)
  from.at += length
}

/** Before the text of a `jsonb`; a `json` has none, and no text of JSON begins so. */
const jsonbVersion = 1

/** JSON as the database has it. */
export const writeJson: WriteValue = (from, length, to) => {
  const end = from.at + length
  if (from.view.getUint8(from.at) === jsonbVersion) from.at += 1
  for (; from.at + 4 <= end; from.at += 4) {
    to.view.setInt32(to.at, from.view.getInt32(from.at, true), true)
    to.at += 4
  }
  for (; from.at < end; from.at++) writeByte(to, from.view.getUint8(from.at))
}

/**
 * An array: how many dimensions, whether there are nulls, the elements' type; of each dimension length and bound. The
 * tables let no others in than lists; one of several dimensions would look like one.
 */
export const writeTexts: WriteValue = (from, _length, to) => {
  const { view } = from
  const dimensions = view.getInt32(from.at)
  from.at += 3 * numberBytes
  if (dimensions > 1) throw new Error(`an array of ${dimensions} dimensions where a list is meant`)
  let count = 0
  if (dimensions === 1) {
    count = view.getInt32(from.at)
    from.at += 2 * numberBytes
  }
  writeByte(to, 0x5b)
  for (let i = 0; i < count; i++) {
    if (i > 0) writeByte(to, comma)
    const length = view.getInt32(from.at)
    from.at += numberBytes
    if (length < 0) writeConstant(to, nullText)
    else writeText(from, length, to)
  }
  writeByte(to, 0x5d)
}
