import { recordId } from '../../../../schemas/fields.ts'
import { UnusableFile } from '../../../import/entry.ts'
import type { Field, ResourceName } from '../../../records/resources/define.ts'
import { resources } from '../../../records/resources/index.ts'
import { messages, peek } from '../file-kind.ts'
import { createDateReader } from '../table/dates.ts'
import { toUtf8 } from '../table/encoding.ts'
import { findHeaderLine } from '../table/header-line.ts'
import { readRows } from '../table/index.ts'
import { listColumnFields, suggestFields } from './fields.ts'
import { listUnknown, suggestDates, suggestSeparators, type UnknownValue } from './values.ts'

export type SuggestOptions = Readonly<{
  resource: ResourceName
  encoding?: string | undefined
  headerLine?: number | undefined
  dates?: string | undefined
}>

/** `fields`: empty if no field is likely. `isRunning`: its cells are 1, 2, 3 and so on. */
export type SuggestedColumn = Readonly<{
  name: string
  fields: readonly string[]
  separators: readonly string[] | undefined
  values: readonly string[]
  unknown: readonly UnknownValue[]
  example: string | undefined
  isRunning: boolean
  /** Whether its cells would be ids without characters such as `/`. */
  isNearlyId: boolean
}>

export type Suggestion = Readonly<{
  resource: ResourceName
  /** All fields that a column may have. */
  fields: readonly string[]
  rows: number
  headerLine: number | undefined
  /** See `suggestDates`. */
  dates: readonly string[]
  columns: readonly SuggestedColumn[]
  /** Required fields without a column. */
  missing: readonly string[]
}>

/** Bounds the memory for a column. Later values are not counted. */
const maxDifferent = 20_000

type Column = { name: string; cells: Map<string, number>; filled: number }

const countCells = async (
  source: AsyncIterable<Uint8Array>,
  head: Buffer,
  { encoding, headerLine }: SuggestOptions,
) => {
  const { bytes, headText } = toUtf8(source, head, encoding)
  if (/^\s*[{[]/.test(headText)) throw new UnusableFile(messages.json)
  const line = headerLine ?? (await findHeaderLine(headText))
  let columns: Column[] | undefined
  let rows = 0
  for await (const { cells, fault } of readRows(bytes, headText, line)) {
    if (!columns) {
      const width = cells.findLastIndex((cell) => cell !== null) + 1
      columns = cells
        .slice(0, width)
        .map((cell) => ({ name: (cell ?? '').trim(), cells: new Map(), filled: 0 }))
      continue
    }
    if (fault !== undefined) continue
    rows += 1
    for (const [index, column] of columns.entries()) {
      const cell = cells[index]
      if (cell === null || cell === undefined) continue
      column.filled += 1
      if (column.cells.has(cell) || column.cells.size < maxDifferent)
        column.cells.set(cell, (column.cells.get(cell) ?? 0) + 1)
    }
  }
  return { columns: columns ?? [], rows, headerLine: line }
}

const isUnique = ({ cells, filled }: Column, rows: number) => cells.size === rows && filled === rows

const isRunning = ({ cells }: Column): boolean => {
  const numbers = [...cells.keys()].map(Number)
  return numbers.length > 2 && numbers.every((number, index) => number === (numbers[0] as number) + index)
}

const isNearlyId = (column: Column, rows: number): boolean => {
  const ids = [...column.cells.keys()].map((text) => text.replaceAll(/[^A-Za-z0-9._~-]/g, '-'))
  return (
    rows > 1 &&
    isUnique(column, rows) &&
    !column.cells.has(ids[0] as string) &&
    new Set(ids).size === rows &&
    ids.every((id) => /\d/.test(id) && recordId.safeParse(id).success)
  )
}

/** A unique number of the record may also be its id. */
const addId = (column: Column, field: Field, rows: number, missing: readonly string[]): string[] => {
  const isNumber = field.name === 'number' || field.name.endsWith('_number')
  const isId =
    missing.includes('id') &&
    isNumber &&
    isUnique(column, rows) &&
    [...column.cells.keys()].every((text) => recordId.safeParse(text).success)
  return isId ? ['id', field.name] : [field.name]
}

type Likely = Readonly<{ field: Field | undefined; column: Column; name: string | undefined }>

const describeColumn = (
  { column, field, name }: Likely,
  dates: string | undefined,
  rows: number,
  missing: readonly string[],
): SuggestedColumn => {
  const { cells } = column
  const readDate = dates === undefined ? undefined : createDateReader(dates)
  const separators = field && suggestSeparators(field, cells)
  return {
    name: column.name,
    fields: field ? addId(column, field, rows, missing) : name === undefined ? [] : [name],
    separators,
    values: field?.values ?? [],
    unknown: field ? listUnknown(field, cells, readDate, separators) : [],
    example: [...cells.keys()][0],
    isRunning: isRunning(column),
    isNearlyId: missing.includes('id') && isNearlyId(column, rows),
  }
}

/**
 * Reads a table and suggests how its columns and values map to the fields of a resource. Its memory is bounded by the
 * number of columns. Throws as `importRecords` does for a file that is no table.
 */
export const suggestMap = async (
  source: AsyncIterable<Uint8Array>,
  options: SuggestOptions,
): Promise<Suggestion> => {
  const { head, bytes, close } = await peek(source)
  try {
    const resource = resources[options.resource]
    const { columns, rows, headerLine } = await countCells(bytes, head, options)
    const names = suggestFields(
      resource,
      columns.map(({ name }) => name),
    )
    const likely = columns.map((column, index): Likely => {
      const name = names[index]
      return { column, name, field: name === undefined ? undefined : resource.fields.get(name) }
    })
    const known = likely.flatMap(({ field, column: { cells } }) => (field ? [{ field, cells }] : []))
    const dates = options.dates === undefined ? suggestDates(known) : [options.dates]
    const missing = resource.importing.required.filter((name) => !names.includes(name))
    const suggested = likely.map((each) => describeColumn(each, dates[0], rows, missing))
    const hasId = suggested.some(({ fields }) => fields.includes('id'))
    return {
      resource: options.resource,
      fields: listColumnFields(resource),
      rows,
      headerLine,
      dates,
      columns: suggested,
      missing: missing.filter((name) => name !== 'id' || !hasId),
    }
  } finally {
    await close()
  }
}
