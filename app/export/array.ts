import { backslash, copyCell, quote, type Row } from './row.ts'

const comma = 0x2c
const closing = 0x7d

/** Takes the elements of an array, one after the other; `start` is below 0 for null. */
export type TakeElement = (bytes: Uint8Array, start: number, end: number) => void

let scratch = new Uint8Array(4096)

/** Unquoted, in any case; a text that says so is quoted. */
const isNullWord = (bytes: Uint8Array, start: number, end: number): boolean =>
  end - start === 4 && Buffer.from(bytes.subarray(start, end)).toString('latin1').toUpperCase() === 'NULL'

/**
 * Reads a cell that is an array of one dimension in PostgreSQL's own form (its manual, "Array Input and Output
 * Syntax"): `{plain,"quoted with \" and \\",NULL}`. The bytes given to `take` are good until it returns.
 */
export const readArray = (row: Row, from: number, end: number, take: TakeElement): void => {
  if (scratch.length < end - from) scratch = new Uint8Array(2 * (end - from))
  const bytes = scratch
  const length = copyCell(row, from, end, bytes, 0)
  // What is written is never ahead of what is read: an element without its escapes replaces the one with them.
  let i = 1
  while (i < length && bytes[i] !== closing) {
    const start = i
    let at = start
    if (bytes[i] === quote) {
      for (i++; bytes[i] !== quote; i++) {
        if (bytes[i] === backslash) i++
        bytes[at++] = bytes[i] as number
      }
      i++
      take(bytes, start, at)
    } else {
      while (bytes[i] !== comma && bytes[i] !== closing) i++
      take(bytes, isNullWord(bytes, start, i) ? -1 : start, i)
    }
    if (bytes[i] === comma) i++
  }
}
