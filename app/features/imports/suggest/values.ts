import { findNearest } from '../../../lists/nearest.ts'
import type { Field } from '../../../records/resources/define.ts'
import { createDateReader, type DateReader } from '../table/dates.ts'
import { type ColumnMapping, toValueKey } from '../table/mapping.ts'
import { usualSeparators } from '../table/separators.ts'
import { readValue } from '../table/values.ts'

/** Different cells of a column with their counts. */
export type CellCounts = ReadonlyMap<string, number>

/** `replacement`: the nearest value of the field. Undefined if none is near. */
export type UnknownValue = Readonly<{ text: string; count: number; replacement: string | undefined }>

const isKnown = (field: Field, text: string, readDate: DateReader | undefined): boolean => {
  const { value, faults } = readValue({ ...field, array: false }, text, readDate)
  return !faults && (value === null || field.element.safeParse(value).success)
}

const toTexts = (
  field: Field,
  cell: string,
  separators: readonly string[] | undefined,
): readonly string[] => {
  if (!field.array) return [cell]
  const mapping = separators === undefined ? undefined : toMapping(separators)
  // As a list of any texts: some are unknown.
  return (readValue({ kind: 'text', array: true }, cell, undefined, mapping).value ?? []) as string[]
}

const toMapping = (separators: readonly string[]): ColumnMapping => ({
  column: '',
  fields: [],
  values: new Map(),
  separators,
})

/** Lists the texts that the field does not accept, the most frequent first. Capitals and blanks do not matter. */
export const listUnknown = (
  field: Field,
  cells: CellCounts,
  readDate: DateReader | undefined,
  separators?: readonly string[],
): UnknownValue[] => {
  const unknown = new Map<string, { text: string; count: number }>()
  for (const [cell, count] of cells) {
    for (const text of toTexts(field, cell, separators)) {
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

/** A list of any texts: the usual separators that several cells have. One cell is enough for `;`, `,` and line breaks. */
const suggestUsual = (cells: CellCounts): readonly string[] => {
  const count = (separator: string) =>
    [...cells].reduce((sum, [text, times]) => (text.includes(separator) ? sum + times : sum), 0)
  const found = usualSeparators.filter((separator) => count(separator) >= (separator === ';' ? 1 : 2))
  return found.length > 0 ? found : [',', '\n'].filter((separator) => count(separator) > 0).slice(0, 1)
}

const valueSeparators = [';', ',', '/', '|', '+', '\n', ' und ', ' and ']

/** A list of known values: adds the separator that leaves the fewest unknown characters, as long as one helps. */
const suggestForValues = (field: Field, cells: CellCounts): readonly string[] => {
  const texts = [...cells.keys()]
  const open = valueSeparators.filter((separator) => texts.some((text) => text.includes(separator)))
  const count = (separators: readonly string[]) =>
    listUnknown(field, cells, undefined, separators).reduce(
      (sum, each) => sum + each.count * each.text.length,
      0,
    )
  let chosen = open.includes(';') ? [';'] : []
  let fewest = count(chosen)
  for (;;) {
    const counted = open.map((separator) => ({ separator, left: count([...chosen, separator]) }))
    const [best] = counted.sort((a, b) => a.left - b.left)
    if (best === undefined || best.left >= fewest) return chosen
    chosen = [...chosen, best.separator]
    fewest = best.left
  }
}

/** Returns the likely separators of a list. `undefined`: `;`, as in an export. */
export const suggestSeparators = (field: Field, cells: CellCounts): readonly string[] | undefined => {
  if (!field.array) return undefined
  const isFree = [...cells.keys()].every((text) => isKnown(field, text, undefined))
  const suggested = isFree ? suggestUsual(cells) : suggestForValues(field, cells)
  return suggested.every((separator) => separator === ';') ? undefined : suggested
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
