import type { ColumnKind, ExportColumn } from '../../records/sql/column.ts'
import {
  type BytePosition,
  peekByte,
  slackBytes,
  toConstant,
  writeByte,
  writeConstant,
} from '../../wire/place.ts'
import { copyCell, endsCell, type RowEncoder, readByte, takeNull, writeInstant } from '../../wire/row.ts'
import { copyElements } from '../array.ts'
import { joinedElements } from '../csv.ts'
import { readSerial, writeSerial, writeSerialTime } from './serial.ts'
import { styles } from './styles.ts'
import { finishText } from './text.ts'

/** Stands between the rows of two sheets; no row has this byte. */
export const sheetBreak = 0

/** Rows of a sheet with its header. */
const maxSheetRows = 1_048_576
/** A sheet begins anew before it needs the sizes of ZIP64, 4 GiB. No row is longer than PostgreSQL's 1 GiB. */
const maxSheetBytes = 2 ** 31

const openText = toConstant(`" s="${styles.text}" t="inlineStr"><is><t xml:space="preserve">`)
const closeText = toConstant('</t></is></c>')
const openNumber = toConstant('"><v>')
const openBoolean = toConstant('" t="b"><v>')
const openDate = toConstant(`" s="${styles.date}"><v>`)
const openInstant = toConstant(`" s="${styles.instant}"><v>`)
const closeValue = toConstant('</v></c>')

type CellWriter = (from: BytePosition, to: BytePosition) => void

/** A text, as `write` copies it. */
const textOf =
  (write: CellWriter): CellWriter =>
  (from, to) => {
    writeConstant(to, openText)
    const start = to.at
    write(from, to)
    finishText(to, start)
    writeConstant(to, closeText)
  }

const writeText = textOf(copyCell)
const writeEarlyInstant = textOf(writeInstant)

const skipCell = (from: BytePosition): void => {
  while (!endsCell(peekByte(from))) from.at += 1
}

const writeNumber: CellWriter = (from, to) => {
  writeConstant(to, openNumber)
  copyCell(from, to)
  writeConstant(to, closeValue)
}

const letterT = 't'.charCodeAt(0)
const writeBoolean: CellWriter = (from, to) => {
  writeConstant(to, openBoolean)
  writeByte(to, readByte(from) === letterT ? 0x31 : 0x30)
  writeConstant(to, closeValue)
}

const writeDate: CellWriter = (from, to) => {
  const serial = readSerial(from)
  if (serial === undefined) {
    writeText(from, to)
    return
  }
  writeConstant(to, openDate)
  writeSerial(to, serial)
  writeConstant(to, closeValue)
  skipCell(from)
}

/** Bytes of `YYYY-MM-DD `, before the time. */
const dateBytes = 11

const writeMoment: CellWriter = (from, to) => {
  const serial = readSerial(from)
  if (serial === undefined) {
    writeEarlyInstant(from, to)
    return
  }
  writeConstant(to, openInstant)
  writeSerialTime(from, from.at + dateBytes, to, serial)
  writeConstant(to, closeValue)
  skipCell(from)
}

const writers: Readonly<Record<ColumnKind, CellWriter>> = {
  text: writeText,
  token: writeText,
  date: writeDate,
  integer: writeNumber,
  number: writeNumber,
  boolean: writeBoolean,
  instant: writeMoment,
  texts: textOf((from, to) => void copyElements(from, to, joinedElements)),
  json: writeText,
}

/** `{}` in the order of memory: an array without elements, which is an empty cell as in CSV. */
const emptyArray = 0x7d7b

const takeNothing = (from: BytePosition): boolean => {
  if (takeNull(from)) return true
  if (from.view.getInt16(from.at, true) !== emptyArray) return false
  from.at += 2
  return true
}

/** Returns the letters of a column: 0 is `A`, 26 is `AA`. */
export const columnLetters = (index: number): string =>
  `${index >= 26 ? columnLetters(Math.floor(index / 26) - 1) : ''}${String.fromCharCode(65 + (index % 26))}`

/** Longest that a cell has beside its value: its tags, its address, and the mark of a text that was cut. */
const cellBytes = 144
const rowBytes = 32

/**
 * Writes each row as a `row` of a sheet, from the second on: the first has the names. Null and an array without texts
 * are no cell. Other arrays are their texts joined as in CSV. Where a sheet is full, `sheetBreak` comes first.
 */
export const createSheetEncoder = (
  columns: readonly ExportColumn[],
  { rows: maxRows = maxSheetRows, bytes: maxBytes = maxSheetBytes } = {},
): RowEncoder => {
  const cells = columns.map(({ kind }, index) => ({
    open: toConstant(`<c r="${columnLetters(index)}`),
    take: kind === 'texts' ? takeNothing : takeNull,
    write: writers[kind],
  }))
  const openRow = toConstant('<row r="')
  const closeRow = toConstant('</row>')
  const close = toConstant('">')
  let row = 1
  let bytes = 0

  return {
    // The longest is a control character of a byte, as `_x0001_`.
    bound: (length) => 7 * length + cellBytes * cells.length + rowBytes + slackBytes,
    write(from, to) {
      if (row === maxRows || bytes > maxBytes) {
        writeByte(to, sheetBreak)
        row = 1
        bytes = 0
      }
      row += 1
      const start = to.at
      const number = toConstant(String(row))
      writeConstant(to, openRow)
      writeConstant(to, number)
      writeConstant(to, close)
      for (const { open, take, write } of cells) {
        if (!take(from)) {
          writeConstant(to, open)
          writeConstant(to, number)
          write(from, to)
        }
        // The tab or the newline.
        from.at += 1
      }
      writeConstant(to, closeRow)
      bytes += to.at - start
    },
  }
}
