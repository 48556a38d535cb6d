import { readArray } from './array.ts'
import type { Column, ColumnKind } from './column.ts'
import {
  backslash,
  copyBytes,
  copyCell,
  endOfCell,
  isNull,
  newline,
  quote,
  type Row,
  type RowEncoder,
  writeInstant,
} from './row.ts'

/** RFC 4180, with what RFC 7111 lets be said of it. */
export const csvType = 'text/csv; charset=utf-8; header=present'

const comma = 0x2c
const semicolon = 0x3b
const carriageReturn = 0x0d
const letterT = 0x74
const encode = (text: string) => new TextEncoder().encode(text)
const trueBytes = encode('true')
const falseBytes = encode('false')

/** What a spreadsheet takes for the beginning of a formula, and the quote that keeps it from that. */
const formulaStarts = new Set([...'=+-@\t\r'].map((start) => start.charCodeAt(0)))
const guard = 0x27

/** Moves what was written from `start` to `at` into quotes, its own quotes doubled (RFC 4180 §2, 5 to 7). */
const enclose = (out: Uint8Array, start: number, at: number): number => {
  let quotes = 2
  for (let i = start; i < at; i++) if (out[i] === quote) quotes++
  const end = at + quotes
  let to = end
  out[--to] = quote
  for (let i = at; i-- > start; ) {
    const byte = out[i] as number
    out[--to] = byte
    if (byte === quote) out[--to] = quote
  }
  out[start] = quote
  return end
}

/** Ends a cell that was written from `start` to `at`: quoted where it must be, and where it would look like null. */
const finish = (out: Uint8Array, start: number, at: number): number => {
  if (at === start) return enclose(out, start, at)
  for (let i = start; i < at; i++) {
    const byte = out[i] as number
    if (byte === comma || byte === quote || byte === newline || byte === carriageReturn) {
      return enclose(out, start, at)
    }
  }
  return at
}

/** Keeps the string that was written from `start` to `at` from being a formula. */
const disarm = (out: Uint8Array, start: number, at: number): number => {
  if (at === start || !formulaStarts.has(out[start] as number)) return at
  out.copyWithin(start + 1, start, at)
  out[start] = guard
  return at + 1
}

/** Elements joined by `;`; within one, `\;` is a semicolon and `\\` a backslash. Null elements are empty. */
const joinElements = (row: Row, from: number, end: number, out: Uint8Array, at: number): number => {
  let isFirst = true
  readArray(row, from, end, (bytes, start, stop) => {
    if (!isFirst) out[at++] = semicolon
    isFirst = false
    for (let i = Math.max(start, 0); start >= 0 && i < stop; i++) {
      const byte = bytes[i] as number
      if (byte === semicolon || byte === backslash) out[at++] = backslash
      out[at++] = byte
    }
  })
  // As null: only an array of one empty text is `""`.
  return isFirst ? -1 : at
}

const writeValue = (
  kind: ColumnKind,
  row: Row,
  from: number,
  end: number,
  out: Uint8Array,
  at: number,
): number => {
  switch (kind) {
    case 'text':
      return finish(out, at, disarm(out, at, copyCell(row, from, end, out, at)))
    case 'texts': {
      const joined = joinElements(row, from, end, out, at)
      return joined < 0 ? at : finish(out, at, disarm(out, at, joined))
    }
    case 'json':
      return finish(out, at, copyCell(row, from, end, out, at))
    case 'boolean':
      return copyBytes(row[from] === letterT ? trueBytes : falseBytes, out, at)
    case 'instant':
      return writeInstant(row, from, end, out, at)
    default:
      return copyCell(row, from, end, out, at)
  }
}

const quoted = /[",\r\n]/

/** The first line: the columns' names. */
export const csvHeader = (columns: readonly Column[]): string => {
  const names = columns.map(({ name }) => (quoted.test(name) ? `"${name.replaceAll('"', '""')}"` : name))
  return `${names.join(',')}\r\n`
}

/**
 * Writes each row as a line of CSV. Null is an empty cell, an empty text `""`. Only texts are kept from being
 * formulas: a negative number stays one.
 */
export const createCsvEncoder = (columns: readonly Column[]): RowEncoder => {
  const kinds = columns.map(({ kind }) => kind)
  return {
    // The longest are quotes, which are doubled, and an instant, which gains five bytes.
    bound: (rowBytes) => 3 * rowBytes + 8 * kinds.length + 2,
    write(row, start, out, at) {
      let from = start
      for (const kind of kinds) {
        if (from > start) out[at++] = comma
        const end = endOfCell(row, from)
        if (!isNull(row, from)) at = writeValue(kind, row, from, end, out, at)
        from = end + 1
      }
      out[at++] = carriageReturn
      out[at++] = newline
      return at
    },
  }
}
