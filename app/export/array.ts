import { type BytePosition, copyRun, type Marks, peekByte, writeByte } from '../wire/place.ts'
import { backslash, quote, readByte } from '../wire/row.ts'

/** How a format writes the elements of an array of texts. */
export type ElementWriter = Readonly<{
  /** What it cannot write as it is, quote and backslash among it. */
  marks: Marks
  /** What stands before an element, between two, and behind one; 0: nothing. */
  opening: number
  between: number
  closing: number
  writeNull(to: BytePosition): void
  /** Writes a byte of an element, escaped where it must be. */
  writeEscaped(to: BytePosition, byte: number): void
}>

const comma = 0x2c
const closed = 0x7d

/** `null` in any case, in the order of memory. */
const nullWord = 0x6c6c756e
const lowerCase = 0x20202020
const endsElement = (byte: number) => byte === comma || byte === closed

/** Unquoted; a text that says so is quoted. */
const isNullElement = ({ view, at }: BytePosition): boolean =>
  (view.getInt32(at, true) | lowerCase) === nullWord && endsElement(view.getUint8(at + 4))

/** A backslash before a byte is the array's, and each of the two may be written as an escape of the row's. */
const readElementByte = (from: BytePosition): number => {
  const byte = readByte(from)
  return byte === backslash ? readByte(from) : byte
}

const copyQuoted = (from: BytePosition, to: BytePosition, writer: ElementWriter): void => {
  from.at += 1
  while (copyRun(from, to, writer.marks) !== quote) writer.writeEscaped(to, readElementByte(from))
  from.at += 1
}

const copyUnquoted = (from: BytePosition, to: BytePosition, writer: ElementWriter): void => {
  while (!endsElement(peekByte(from))) writer.writeEscaped(to, readByte(from))
}

const copyElement = (from: BytePosition, to: BytePosition, writer: ElementWriter): void => {
  if (isNullElement(from)) {
    from.at += 4
    writer.writeNull(to)
    return
  }
  if (writer.opening) writeByte(to, writer.opening)
  if (peekByte(from) === quote) copyQuoted(from, to, writer)
  else copyUnquoted(from, to, writer)
  if (writer.closing) writeByte(to, writer.closing)
}

/**
 * Copies the elements of a cell that is an array of one dimension in PostgreSQL's own form (its manual, "Array Input
 * and Output Syntax"): `{plain,"quoted with \" and \\",NULL}`. Returns how many there were.
 */
export const copyElements = (from: BytePosition, to: BytePosition, writer: ElementWriter): number => {
  let count = 0
  do {
    // The brace that opens the array, or a comma.
    from.at += 1
    if (peekByte(from) === closed) break
    if (count > 0) writeByte(to, writer.between)
    copyElement(from, to, writer)
    count += 1
  } while (peekByte(from) === comma)
  from.at += 1
  return count
}
