import {
  type BytePosition,
  type Constant,
  copyRun,
  peekByte,
  toConstant,
  toMarks,
  writeByte,
  writeConstant,
} from './place.ts'

/**
 * Rows as `COPY … TO STDOUT` sends them in its text format (PostgreSQL's manual, COPY, "Text Format"): cells
 * separated by tabs, ended by a newline, `\N` for null. Within a cell tab, newline, backslash and the like are
 * escaped, so that neither a tab nor a newline byte ever belongs to a value.
 */
export type RowEncoder = {
  /** Bytes that a row of so many may become, at most, slack included. */
  bound(rowBytes: number): number
  /** Writes the row that begins at `from`, and leaves that behind it. */
  write(from: BytePosition, to: BytePosition): void
}

export const tab = 0x09
export const newline = 0x0a
export const carriageReturn = 0x0d
export const quote = 0x22
export const backslash = 0x5c

/** What a letter after a backslash stands for; any other byte stands for itself. */
const escaped = new Uint8Array(256).map((_, byte) => byte)
for (const [letter, byte] of Object.entries({ b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 })) {
  escaped[letter.charCodeAt(0)] = byte
}

/** Whether the byte ends a cell. */
export const endsCell = (byte: number): boolean => byte === tab || byte === newline

/** Reads the byte that is next, which may be written as an escape. */
export const readByte = (from: BytePosition): number => {
  const byte = peekByte(from)
  from.at += 1
  if (byte !== backslash) return byte
  const letter = peekByte(from)
  from.at += 1
  return escaped[letter] as number
}

/** `\N`, in the order of memory. */
const nullCell = 0x4e5c

/** Whether the cell that begins here is null; then it is read. */
export const takeNull = (from: BytePosition): boolean => {
  if (from.view.getInt16(from.at, true) !== nullCell) return false
  from.at += 2
  return true
}

const marks = toMarks(backslash)

/** Copies the cell without the escapes of the format. */
export const copyCell = (from: BytePosition, to: BytePosition): void => {
  while (!endsCell(copyRun(from, to, marks))) writeByte(to, readByte(from))
}

const letterT = 't'.charCodeAt(0)
const trueText = toConstant('true')
const falseText = toConstant('false')

/** Writes `t` or `f` as `true` or `false`. */
export const writeBoolean = (from: BytePosition, to: BytePosition): void => {
  writeConstant(to, peekByte(from) === letterT ? trueText : falseText)
  from.at += 1
}

const zone = '+'.charCodeAt(0)
const space = ' '.charCodeAt(0)
const separator = 'T'.charCodeAt(0)
const spaceMark = toMarks(space)
const zoneMark = toMarks(zone)
/** What is missing behind a time of eight bytes, which has no fraction, and of nine and more: point and digits. */
const paddings = ['.000000Z', '000000Z', '00000Z', '0000Z', '000Z', '00Z', '0Z', 'Z'].map(toConstant)
const shortestTime = 8

/**
 * Writes `2026-04-25 11:02:03.45+00`, a timestamptz as a session in UTC shows it, as RFC 3339 with six decimals:
 * the form that answers have.
 */
export const writeInstant = (from: BytePosition, to: BytePosition): void => {
  if (copyRun(from, to, spaceMark) !== space) return
  from.at += 1
  writeByte(to, separator)
  const start = to.at
  copyRun(from, to, zoneMark)
  writeConstant(to, paddings[to.at - start - shortestTime] as Constant)
  while (!endsCell(peekByte(from))) from.at += 1
}
