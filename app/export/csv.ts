import type { ColumnKind, ExportColumn } from '../records/sql/column.ts'
import {
  type BytePosition,
  copyRun,
  peekByte,
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
  takeNull,
  writeBoolean,
  writeInstant,
} from '../wire/row.ts'
import { copyElements, type ElementWriter } from './array.ts'

const comma = 0x2c
const semicolon = 0x3b
const lineEnd = toConstant('\r\n')

/** What a spreadsheet takes for the beginning of a formula, and the quote that keeps it from that. */
const formulaStarts = new Set([...'=+-@\t\r'].map((start) => start.charCodeAt(0)))
const guard = 0x27

/** What a cell must be quoted for (RFC 4180 §2, 6). */
const needsQuotes = (byte: number): boolean =>
  byte === comma || byte === quote || byte === newline || byte === carriageReturn

const bareMarks = toMarks(comma, quote, backslash)
const quotedMarks = toMarks(quote, backslash)

/** Writes the cell without quotes as far as it can be; returns whether that is to its end. */
const writeBare = (from: BytePosition, to: BytePosition): boolean => {
  while (!endsCell(copyRun(from, to, bareMarks))) {
    const byte = readByte(from)
    if (needsQuotes(byte)) return false
    writeByte(to, byte)
  }
  return true
}

/** Writes the cell in quotes, its own doubled (RFC 4180 §2, 5 to 7). */
const writeQuoted = (from: BytePosition, to: BytePosition): void => {
  while (!endsCell(copyRun(from, to, quotedMarks))) {
    const byte = readByte(from)
    if (byte === quote) writeByte(to, quote)
    writeByte(to, byte)
  }
  writeByte(to, quote)
}

const startsFormula = (from: BytePosition): boolean => {
  const { at } = from
  // What ends an empty cell is no start; a tab of its own is written as an escape.
  const isStart = !endsCell(peekByte(from)) && formulaStarts.has(readByte(from))
  from.at = at
  return isStart
}

/** A cell, quoted where it must be, and where it would look like null. */
const writeCell = (from: BytePosition, to: BytePosition, isGuarded: boolean): void => {
  const { at } = from
  const { at: start } = to
  if (isGuarded) writeByte(to, guard)
  if (writeBare(from, to) && to.at > start) return
  from.at = at
  to.at = start
  writeByte(to, quote)
  if (isGuarded) writeByte(to, guard)
  writeQuoted(from, to)
}

const writeText = (from: BytePosition, to: BytePosition): void => writeCell(from, to, startsFormula(from))
const writeJson = (from: BytePosition, to: BytePosition): void => writeCell(from, to, false)

/** Writes elements joined by `;`. Within one, `\;` is a semicolon and `\\` a backslash. Null elements are empty. */
export const joinedElements: ElementWriter = {
  marks: toMarks(quote, backslash, semicolon),
  ...{ opening: 0, between: semicolon, closing: 0 },
  writeNull: () => {},
  writeEscaped(to, byte) {
    if (byte === semicolon || byte === backslash) writeByte(to, backslash)
    writeByte(to, byte)
  },
}

/** Moves what was written from `start` on into quotes. */
const enclose = (to: BytePosition, start: number): void => {
  const { view, at } = to
  let quotes = 2
  for (let i = start; i < at; i++) if (view.getUint8(i) === quote) quotes++
  const end = at + quotes
  let place = end
  view.setUint8(--place, quote)
  for (let i = at; i-- > start; ) {
    const byte = view.getUint8(i)
    view.setUint8(--place, byte)
    if (byte === quote) view.setUint8(--place, quote)
  }
  view.setUint8(start, quote)
  to.at = end
}

/** Keeps what was written from `start` on from being a formula. */
const disarm = ({ view, at }: BytePosition, start: number): void => {
  for (let i = at; i > start; i--) view.setUint8(i, view.getUint8(i - 1))
  view.setUint8(start, guard)
}

/** Makes what was written from `start` on a cell. */
const finish = (to: BytePosition, start: number): void => {
  const { view } = to
  if (to.at > start && formulaStarts.has(view.getUint8(start))) {
    disarm(to, start)
    to.at += 1
  }
  let mustQuote = to.at === start
  for (let i = start; i < to.at && !mustQuote; i++) mustQuote = needsQuotes(view.getUint8(i))
  if (mustQuote) enclose(to, start)
}

/** Only an array of one empty text is `""`; one of none is as null. */
const writeTexts = (from: BytePosition, to: BytePosition): void => {
  const start = to.at
  if (copyElements(from, to, joinedElements) > 0) finish(to, start)
}

/** Only texts are kept from being formulas: a negative number stays one. */
const writers: Readonly<Record<ColumnKind, (from: BytePosition, to: BytePosition) => void>> = {
  text: writeText,
  token: copyCell,
  date: copyCell,
  integer: copyCell,
  number: copyCell,
  boolean: writeBoolean,
  instant: writeInstant,
  texts: writeTexts,
  json: writeJson,
}

const quoted = /[",\r\n]/

/** The first line: the columns' names. */
export const csvHeader = (columns: readonly ExportColumn[]): string => {
  const names = columns.map(({ name }) => (quoted.test(name) ? `"${name.replaceAll('"', '""')}"` : name))
  return `${names.join(',')}\r\n`
}

/** Writes each row as a line of CSV. Null is an empty cell, an empty text `""`. */
export const createCsvEncoder = (columns: readonly ExportColumn[]): RowEncoder => {
  const cells = columns.map(({ kind }) => writers[kind])
  return {
    // The longest are quotes, which are doubled, and an instant, which gains five bytes.
    bound: (rowBytes) => 3 * rowBytes + 8 * cells.length + 2 + slackBytes,
    write(from, to) {
      let isFirst = true
      for (const write of cells) {
        if (!isFirst) writeByte(to, comma)
        isFirst = false
        if (!takeNull(from)) write(from, to)
        // The tab or the newline.
        from.at += 1
      }
      writeConstant(to, lineEnd)
    },
  }
}
