import { readArray } from './array.ts'
import type { Column, ColumnKind } from './column.ts'
import {
  backslash,
  copyBytes,
  endOfCell,
  isNull,
  newline,
  quote,
  type Row,
  type RowEncoder,
  tab,
  unescaped,
  writeInstant,
} from './row.ts'

/** A JSON text a line, in UTF-8. */
export const linesType = 'application/x-ndjson'

/** A cell of the row, with what stands before it in the line. */
export type JsonPart = Readonly<{ before: string; kind: ColumnKind }>

const encode = (text: string) => new TextEncoder().encode(text)
const nullBytes = encode('null')
const trueBytes = encode('true')
const falseBytes = encode('false')
const hexDigits = encode('0123456789abcdef')
const letterT = 0x74
const comma = 0x2c

/** What stands after a backslash (RFC 8259 §7) for a byte below 32; 0: `u00XX`. */
const shortEscapes = new Uint8Array(32)
for (const [byte, letter] of Object.entries({ 8: 'b', 9: 't', 10: 'n', 12: 'f', 13: 'r' })) {
  shortEscapes[Number(byte)] = letter.charCodeAt(0)
}

/** A byte that a string cannot hold as it is, in the form that PostgreSQL gives it. */
const writeEscaped = (byte: number, out: Uint8Array, at: number): number => {
  out[at++] = backslash
  const letter = byte < 32 ? (shortEscapes[byte] as number) : byte
  if (letter !== 0) {
    out[at++] = letter
    return at
  }
  out[at++] = 0x75
  out[at++] = 0x30
  out[at++] = 0x30
  out[at++] = hexDigits[byte >> 4] as number
  out[at++] = hexDigits[byte & 15] as number
  return at
}

const isPlain = (byte: number) => byte >= 32 && byte !== quote && byte !== backslash

const writeText = (row: Row, from: number, end: number, out: Uint8Array, at: number): number => {
  out[at++] = quote
  for (let i = from; i < end; i++) {
    const byte = row[i] as number
    if (isPlain(byte)) out[at++] = byte
    else if (byte !== backslash) at = writeEscaped(byte, out, at)
    else {
      const meant = unescaped(row[++i] as number)
      if (isPlain(meant)) out[at++] = meant
      else at = writeEscaped(meant, out, at)
    }
  }
  out[at++] = quote
  return at
}

const writeToken = (row: Row, from: number, end: number, out: Uint8Array, at: number): number => {
  out[at++] = quote
  for (let i = from; i < end; i++) out[at++] = row[i] as number
  out[at++] = quote
  return at
}

const writeElements = (row: Row, from: number, end: number, out: Uint8Array, at: number): number => {
  out[at++] = 0x5b
  const first = at
  readArray(row, from, end, (bytes, start, stop) => {
    if (at > first) out[at++] = comma
    if (start < 0) {
      at = copyBytes(nullBytes, out, at)
      return
    }
    out[at++] = quote
    for (let i = start; i < stop; i++) {
      const byte = bytes[i] as number
      if (isPlain(byte)) out[at++] = byte
      else at = writeEscaped(byte, out, at)
    }
    out[at++] = quote
  })
  out[at++] = 0x5d
  return at
}

/** JSON that is JSON already, on one line: tabs and newlines stand between its tokens, never in a string. */
const writeJson = (row: Row, from: number, end: number, out: Uint8Array, at: number): number => {
  for (let i = from; i < end; i++) {
    let byte = row[i] as number
    if (byte === backslash) {
      byte = unescaped(row[++i] as number)
      if (byte === newline || byte === tab || byte === 13) byte = 32
    }
    out[at++] = byte
  }
  return at
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
      return writeText(row, from, end, out, at)
    case 'token':
      return writeToken(row, from, end, out, at)
    case 'boolean':
      return copyBytes(row[from] === letterT ? trueBytes : falseBytes, out, at)
    case 'texts':
      return writeElements(row, from, end, out, at)
    case 'instant':
      out[at++] = quote
      at = writeInstant(row, from, end, out, at)
      out[at++] = quote
      return at
    default:
      return writeJson(row, from, end, out, at)
  }
}

/** Writes each row as a line of JSON: every part's text and its cell, one after the other, then `after`. */
export const createJsonEncoder = (parts: readonly JsonPart[], after: string): RowEncoder => {
  const cells = parts.map(({ before, kind }) => ({ before: encode(before), kind }))
  const tail = encode(`${after}\n`)
  const constant = cells.reduce((sum, { before }) => sum + before.length, tail.length)
  return {
    // The longest are a control character, `\u0001`, and an instant, which gains eight bytes.
    bound: (rowBytes) => constant + 6 * rowBytes + 8 * cells.length,
    write(row, start, out, at) {
      let from = start
      for (const { before, kind } of cells) {
        at = copyBytes(before, out, at)
        const end = endOfCell(row, from)
        at = isNull(row, from) ? copyBytes(nullBytes, out, at) : writeValue(kind, row, from, end, out, at)
        from = end + 1
      }
      return copyBytes(tail, out, at)
    },
  }
}

/** The columns as members of one object, byte for byte as PostgreSQL's `row_to_json` writes it. */
export const objectParts = (columns: readonly Column[], opening = '{'): JsonPart[] =>
  columns.map(({ name, kind }, index) => ({
    before: `${index === 0 ? opening : ','}${JSON.stringify(name)}:`,
    kind,
  }))
