import { mediaTypes } from '../http/formats.ts'
import type { ColumnKind, ExportColumn } from '../records/sql/column.ts'
import { stringMarks, writeEscaped } from '../wire/json-string.ts'
import {
  type BytePosition,
  copyRun,
  slackBytes,
  toConstant,
  toMarks,
  writeByte,
  writeConstant,
} from '../wire/place.ts'
import {
  backslash,
  carriageReturn,
  copyCell,
  endsCell,
  newline,
  quote,
  type RowEncoder,
  readByte,
  tab,
  takeNull,
  writeBoolean,
  writeInstant,
} from '../wire/row.ts'
import { copyElements, type ElementWriter } from './array.ts'

/** A JSON text a line, in UTF-8. */
export const linesType = mediaTypes.ndjson

/** A cell of the row, with what stands before it in the line. */
export type JsonPart = Readonly<{ before: string; kind: ColumnKind }>

const space = 0x20
const nullText = toConstant('null')
const writeText = (from: BytePosition, to: BytePosition): void => {
  writeByte(to, quote)
  while (!endsCell(copyRun(from, to, stringMarks))) writeEscaped(to, readByte(from))
  writeByte(to, quote)
}

const writeQuotedInstant = (from: BytePosition, to: BytePosition): void => {
  writeByte(to, quote)
  writeInstant(from, to)
  writeByte(to, quote)
}

const elements: ElementWriter = {
  marks: stringMarks,
  ...{ opening: quote, between: 0x2c, closing: quote },
  writeNull: (to) => writeConstant(to, nullText),
  writeEscaped,
}

const writeTexts = (from: BytePosition, to: BytePosition): void => {
  writeByte(to, 0x5b)
  copyElements(from, to, elements)
  writeByte(to, 0x5d)
}

const jsonMarks = toMarks(backslash)
const breaks = new Set([tab, newline, carriageReturn])

/** JSON that is JSON already, on one line: tabs and newlines stand between its tokens, never in a string. */
const writeJson = (from: BytePosition, to: BytePosition): void => {
  while (!endsCell(copyRun(from, to, jsonMarks))) {
    const byte = readByte(from)
    writeByte(to, breaks.has(byte) ? space : byte)
  }
}

const writers: Readonly<Record<ColumnKind, (from: BytePosition, to: BytePosition) => void>> = {
  text: writeText,
  token: writeText,
  date: writeText,
  integer: copyCell,
  number: copyCell,
  boolean: writeBoolean,
  instant: writeQuotedInstant,
  texts: writeTexts,
  json: writeJson,
}

/** Writes each row as a line of JSON: every part's text and its cell, one after the other, then `after`. */
export const createJsonEncoder = (parts: readonly JsonPart[], after: string): RowEncoder => {
  const cells = parts.map(({ before, kind }) => ({ before: toConstant(before), write: writers[kind] }))
  const tail = toConstant(`${after}\n`)
  const constant = cells.reduce((sum, { before }) => sum + before.length, tail.length + slackBytes)
  return {
    // The longest are a control character, `\u0001`, and an instant, which gains eight bytes.
    bound: (rowBytes) => constant + 6 * rowBytes + 8 * cells.length,
    write(from, to) {
      for (const { before, write } of cells) {
        writeConstant(to, before)
        if (takeNull(from)) writeConstant(to, nullText)
        else write(from, to)
        // The tab or the newline.
        from.at += 1
      }
      writeConstant(to, tail)
    },
  }
}

/** The columns as members of one object, byte for byte as PostgreSQL's `row_to_json` writes it. */
export const objectParts = (columns: readonly ExportColumn[], opening = '{'): JsonPart[] =>
  columns.map(({ name, kind }, index) => ({
    before: `${index === 0 ? opening : ','}${JSON.stringify(name)}:`,
    kind,
  }))
