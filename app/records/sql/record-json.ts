import {
  type BytePosition,
  type Constant,
  slackBytes,
  toConstant,
  writeByte,
  writeConstant,
} from '../../wire/place.ts'
import type { Slice } from '../../wire/row-query.ts'
import type { Field, Resource } from '../resources/define.ts'
import { compactWriter } from './compact-json.ts'
import {
  largestGrowth,
  nullText,
  numberBytes,
  roomForShort,
  type WriteValue,
  writeBoolean,
  writeDate,
  writeInstant,
  writeInteger,
  writeJson,
  writeText,
  writeTexts,
} from './json-values.ts'
import { chosenFields } from './projection.ts'

/**
 * Writes records as JSON, byte for byte as `row_to_json` does with the columns of `projection`. It reads their binary
 * form, PostgreSQL's `record_send`: first the number of columns. Then each column has the number of its type, the
 * length of its value, and the value. A length of -1 means null. All numbers have four bytes, big endian.
 */

/** Memory that is written to from the start again and again, and that grows. */
export type Sheet = BytePosition & { bytes: Buffer }

const comma = 0x2c

const viewOf = ({ buffer, byteOffset, length }: Buffer) => new DataView(buffer, byteOffset, length)

/** A new sheet of so many bytes. */
export const createSheet = (size: number): Sheet => {
  const bytes = Buffer.allocUnsafeSlow(size)
  return { bytes, view: viewOf(bytes), at: 0 }
}

/** Sees to it that there are so many bytes to write to. */
export const makeRoom = (sheet: Sheet, size: number): void => {
  if (sheet.at + size <= sheet.bytes.length) return
  const larger = createSheet(Math.max(2 * sheet.bytes.length, sheet.at + size))
  sheet.bytes.copy(larger.bytes, 0, 0, sheet.at)
  sheet.bytes = larger.bytes
  sheet.view = larger.view
}

const writers: Readonly<Record<Field['kind'], WriteValue>> = {
  text: writeText,
  date: writeDate,
  instant: writeInstant,
  integer: writeInteger,
  boolean: writeBoolean,
  json: writeJson,
}

/** What stands before a field's value, in front of all others and behind another; and how the value is written. */
type Cell = Readonly<{ first: Constant; before: Constant; room: number; growth: number; write: WriteValue }>

const writerOf = ({ kind, array, computed, schema }: Field): Pick<Cell, 'write' | 'growth'> => {
  if (kind === 'json' && !computed) return compactWriter(schema)
  return { write: array ? writeTexts : writers[kind], growth: largestGrowth }
}

const toCell = (field: Field): Cell => {
  const { name } = field
  const [first, before] = [toConstant(`{${JSON.stringify(name)}:`), toConstant(`,${JSON.stringify(name)}:`)]
  const room = before.length + roomForShort + 2 * slackBytes
  return { first, before, room, ...writerOf(field) }
}

const known = new WeakMap<Resource, ReadonlyMap<string, Cell>>()

const cellsOf = (resource: Resource, fields: readonly string[] | undefined): readonly Cell[] => {
  let all = known.get(resource)
  if (!all) {
    all = new Map([...resource.fields.values()].map((field) => [field.name, toCell(field)]))
    known.set(resource, all)
  }
  if (!fields) return [...all.values()]
  const cells = all
  return chosenFields(resource, fields).map(({ name }) => cells.get(name) as Cell)
}

const writeRecord = (from: BytePosition, cells: readonly Cell[], to: Sheet): void => {
  const columns = from.view.getInt32(from.at)
  if (columns !== cells.length)
    throw new Error(`a record of ${columns} columns where ${cells.length} are meant`)
  from.at += numberBytes
  for (let i = 0; i < columns; i++) {
    const { first, before, room, growth, write } = cells[i] as Cell
    // Behind the number of its type.
    const length = from.view.getInt32(from.at + numberBytes)
    from.at += 2 * numberBytes
    makeRoom(to, room + growth * Math.max(0, length))
    writeConstant(to, i === 0 ? first : before)
    if (length < 0) writeConstant(to, nullText)
    else write(from, length, to)
  }
  makeRoom(to, 2)
  writeByte(to, 0x7d)
}

/** Writes the first `count` of the records, with a comma between two. `fields` undefined = all. */
export const writeRecords = (
  { bytes, start }: Slice,
  count: number,
  resource: Resource,
  fields: readonly string[] | undefined,
  to: Sheet,
): void => {
  const from: BytePosition = { view: viewOf(bytes), at: start }
  const cells = cellsOf(resource, fields)
  for (let i = 0; i < count; i++) {
    if (i > 0) writeByte(to, comma)
    writeRecord(from, cells, to)
  }
}
