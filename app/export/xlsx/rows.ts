import { dayMs } from '../../config/units.ts'
import type { ColumnKind, ExportColumn } from '../../records/sql/column.ts'
import type { Cell, Row } from '../rows.ts'
import { styles } from './styles.ts'
import { escapeText } from './text.ts'

type CellWriter = (cell: Cell) => string | undefined

const textStart = `" s="${styles.text}" t="inlineStr"><is><t>`
const spaceStart = textStart.replace('<t>', '<t xml:space="preserve">')
const textEnd = '</t></is></c>'

const writeToken = (cell: Cell): string => textStart + cell + textEnd

const writeText = (cell: Cell): string => {
  const text = String(cell)
  return (text.trim() === text ? textStart : spaceStart) + escapeText(text) + textEnd
}

const joinedSpecial = /[;\\]/g

/** As in CSV: joins texts with `;`, escaped in a text as `\;`, and a backslash as `\\`. Null for an empty array. */
const joinTexts = (texts: readonly (string | null)[]): string | null =>
  texts.length === 0 ? null : texts.map((text) => (text ?? '').replace(joinedSpecial, '\\$&')).join(';')

const writeTexts: CellWriter = (cell) => {
  const joined = joinTexts(cell as readonly string[])
  return joined === null ? undefined : writeText(joined)
}

type Period = { from: string; until: string | null; basis: string }

/** For people: `2024-04-24 to 2029-04-24 (initial)`. */
const writePeriods: CellWriter = (cell) => {
  const periods: Period[] = JSON.parse(String(cell))
  const texts = periods.map(({ from, until, basis }) => `${from} to ${until ?? 'unlimited'} (${basis})`)
  return texts.length === 0 ? undefined : writeText(texts.join('; '))
}

const writeNumber: CellWriter = (cell) => `"><v>${cell}</v></c>`

const writeBoolean: CellWriter = (cell) => `" t="b"><v>${cell ? 1 : 0}</v></c>`

/** 1900-03-01. Excel has a 1900-02-29, so earlier numbers are wrong (ECMA-376, 18.17.4.1). */
const firstSerial = 61
const serialOf1970 = 25_569

/** Returns Excel's number of the day (YYYY-MM-DD) that a text begins with. `undefined` before 1900-03-01. */
const toSerial = (text: string): number | undefined => {
  const serial = Date.parse(text.slice(0, 10)) / dayMs + serialOf1970
  return serial >= firstSerial ? serial : undefined
}

/** The precision of a double for the days of our time: less than a microsecond. */
const fractionDigits = 12
const microsecondsPerUnit = 0.0864

/** Returns Excel's number, as digits, of an instant with microseconds. `undefined` before 1900-03-01. */
const toSerialTime = (instant: string): string | undefined => {
  const ms = Date.parse(instant)
  const day = Math.floor(ms / dayMs)
  const serial = day + serialOf1970
  if (!(serial >= firstSerial)) return undefined
  const ofDay = (ms - day * dayMs) * 1000 + Number(instant.slice(-4, -1))
  return `${serial}.${String(Math.round(ofDay / microsecondsPerUnit)).padStart(fractionDigits, '0')}`
}

const writeSerial = (cell: Cell, serial: number | string | undefined, style: number): string =>
  serial === undefined ? writeText(cell) : `" s="${style}"><v>${serial}</v></c>`

const writers: Readonly<Record<ColumnKind, CellWriter>> = {
  text: writeText,
  token: writeToken,
  date: (cell) => writeSerial(cell, toSerial(String(cell)), styles.date),
  integer: writeNumber,
  number: writeNumber,
  boolean: writeBoolean,
  instant: (cell) => writeSerial(cell, toSerialTime(String(cell)), styles.instant),
  texts: writeTexts,
  json: writeText,
  periods: writePeriods,
}

/** Returns the letters of a column: 0 is `A`, 26 is `AA`. */
export const columnLetters = (index: number): string =>
  `${index >= 26 ? columnLetters(Math.floor(index / 26) - 1) : ''}${String.fromCharCode(65 + (index % 26))}`

/** Returns a function that writes a row with its number (from 1). Null and `[]` have no cell. */
export const createRowWriter = (columns: readonly ExportColumn[]): ((row: Row, number: number) => string) => {
  const cells = columns.map(({ kind }, index) => ({
    open: `<c r="${columnLetters(index)}`,
    write: writers[kind],
  }))
  return (row, number) => {
    const suffix = String(number)
    let text = `<row r="${suffix}">`
    cells.forEach(({ open, write }, index) => {
      const cell = row[index] ?? null
      const rest = cell === null ? undefined : write(cell)
      if (rest !== undefined) text += open + suffix + rest
    })
    return `${text}</row>`
  }
}
