import { findNearest } from '../../../lists/nearest.ts'
import type { Field } from '../../../records/resources/define.ts'
import { createDateReader, type DateReader } from '../table/dates.ts'
import { type ColumnMapping, toValueKey } from '../table/mapping.ts'
import { readValue } from '../table/values.ts'

/** Different cells of a column with their counts. */
export type CellCounts = ReadonlyMap<string, number>

/** `replacement`: the nearest value of the field. Undefined if none is near. */
export type UnknownValue = Readonly<{ text: string; count: number; replacement: string | undefined }>

const isKnown = (field: Field, text: string, readDate: DateReader | undefined): boolean => {
  const { value, faults } = readValue({ ...field, array: false }, text, readDate)
  return !faults && (value === null || field.element.safeParse(value).success)
}

const toTexts = (field: Field, cell: string, separator: string | undefined): readonly string[] => {
  if (!field.array) return [cell]
  const mapping = separator === undefined ? undefined : toMapping(separator)
  // As a list of any texts: some are unknown.
  return (readValue({ kind: 'text', array: true }, cell, undefined, mapping).value ?? []) as string[]
}

const toMapping = (separator: string): ColumnMapping => ({
  column: '',
  fields: [],
  values: new Map(),
  separator,
})

/** Lists the texts that the field does not accept, the most frequent first. Capitals and blanks do not matter. */
export const listUnknown = (
  field: Field,
  cells: CellCounts,
  readDate: DateReader | undefined,
  separator?: string,
): UnknownValue[] => {
  const unknown = new Map<string, { text: string; count: number }>()
  for (const [cell, count] of cells) {
    for (const text of toTexts(field, cell, separator)) {
      if (isKnown(field, text, readDate)) continue
      const found = unknown.get(toValueKey(text)) ?? { text: text.trim(), count: 0 }
      unknown.set(toValueKey(text), { ...found, count: found.count + count })
    }
  }
  return [...unknown.values()]
    .sort((a, b) => b.count - a.count)
    .map(({ text, count }) => ({
      text,
      count,
      replacement: findNearest(toValueKey(text).replaceAll(/[\s-]+/g, '_'), field.values ?? []),
    }))
}

const separators = [',', '/', '|', '+', '\n']

/** Returns the separator that leaves the fewest unknown characters in a list. `undefined`: `;`, as in an export. */
export const suggestSeparator = (field: Field, cells: CellCounts): string | undefined => {
  if (!field.array) return undefined
  const texts = [...cells.keys()]
  if (texts.some((text) => text.includes(';'))) return undefined
  const isFree = texts.every((text) => isKnown(field, text, undefined))
  if (isFree) return [',', '\n'].find((separator) => texts.some((text) => text.includes(separator)))
  const count = (separator?: string) =>
    listUnknown(field, cells, undefined, separator).reduce(
      (sum, each) => sum + each.count * each.text.length,
      0,
    )
  let best: string | undefined
  let fewest = count()
  for (const separator of separators) {
    const left = texts.some((text) => text.includes(separator)) ? count(separator) : fewest
    if (left < fewest) {
      best = separator
      fewest = left
    }
  }
  return best
}

const forms = ['DD.MM.YYYY', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD-MM-YYYY', 'YYYY/MM/DD', 'DD-MON-YY']

/** Returns the forms that read most of the dates: two if no day is after the 12th, none if `--dates` is not needed. */
export const suggestDates = (columns: readonly Readonly<{ field: Field; cells: CellCounts }>[]): string[] => {
  const dates = columns.filter(({ field }) => field.kind === 'date')
  const count = (readDate?: DateReader) =>
    dates.reduce(
      (sum, { field, cells }) =>
        sum + [...cells.keys()].filter((text) => isKnown(field, text, readDate)).length,
      0,
    )
  const read = forms.map((form) => ({ form, count: count(createDateReader(form)) }))
  const most = Math.max(...read.map((each) => each.count))
  return most > count() ? read.filter((each) => each.count === most).map(({ form }) => form) : []
}
