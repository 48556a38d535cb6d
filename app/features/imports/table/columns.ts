import { timestamps } from '../../../../schemas/fields.ts'
import { UnusableFile } from '../../../import/entry.ts'
import { describeIssue } from '../../../import/issue.ts'
import { envelope } from '../../../import/line.ts'
import { findNearest } from '../../../lists/nearest.ts'
import { getIncludedField } from '../../../records/query/named-resources.ts'
import type { Field, Resource, ResourceName } from '../../../records/resources/define.ts'
import { resourceNames, resources } from '../../../records/resources/index.ts'
import { messages } from '../file-kind.ts'
import { findLikelyField, listColumnFields } from '../suggest/fields.ts'
import { createDateReader, type DateReader } from './dates.ts'
import type { ColumnMapping } from './mapping.ts'
import type { TableCell } from './rows.ts'
import { readValue } from './values.ts'

export type ColumnOptions = {
  resource?: ResourceName | undefined
  customer?: string | undefined
  mappings?: readonly ColumnMapping[]
  dates?: string | undefined
}

export type TableColumn = { index: number; name: string; field: string; mapping?: ColumnMapping | undefined }

const suggest = (name: string, known: Iterable<string>): string => {
  const nearest = findNearest(name.replaceAll(/[\s.-]+/g, '_'), known)
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`
}

const suggestField = (name: string, known: Iterable<string>): string => {
  const likely = findLikelyField(name, known)
  return likely === undefined ? '' : `; did you mean "${likely}"?`
}

const listFields = (selected: readonly Resource[]) =>
  [...new Set(selected.flatMap(listColumnFields))].join(', ')

const quoteAll = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

/** Also fields of other records in an export, such as `product.name`. */
const isComputed = (field: string, selected: readonly Resource[]) =>
  field in timestamps ||
  selected.some((resource) => getIncludedField(resource, field) !== undefined) ||
  selected.every(({ fields }) => fields.get(field)?.computed !== undefined)

const listMappingFaults = (mappings: readonly ColumnMapping[], names: readonly string[]): string[] =>
  mappings.flatMap(({ column }, index) => {
    if (mappings.findIndex((other) => other.column === column) < index)
      return [`the map names "${column}" twice`]
    return names.includes(column)
      ? []
      : [`the map names "${column}", which is no column${suggest(column, names)}`]
  })

const checkReplacement = (
  field: Field,
  replacement: string | null,
  readDate: DateReader | undefined,
): string[] => {
  if (replacement === null) return []
  const { value, faults: [fault] = [] } = readValue(field, replacement, readDate)
  if (fault !== undefined) return [`${field.name}: ${fault}`]
  const [issue] = field.schema.safeParse(value).error?.issues ?? []
  return issue ? [describeIssue(issue, field.name, replacement)] : []
}

/** Checks the replacements and separators of a map, if the table has one resource. */
const listReplacementFaults = (
  columns: readonly TableColumn[],
  selected: readonly Resource[],
  dates: string | undefined,
): string[] => {
  const [only, ...others] = selected
  if (!only || others.length > 0) return []
  const readDate = dates === undefined ? undefined : createDateReader(dates)
  return columns.flatMap(({ name: column, field: name, mapping }) => {
    const field = only.fields.get(name)
    if (!mapping || !field) return []
    const place = (key: string) => {
      const line = mapping.lines?.get(key)
      return `${line === undefined ? '' : `line ${line}, `}column ${JSON.stringify(column)}, replacement of ${JSON.stringify(key)}`
    }
    const faults = new Set(
      [...mapping.values].flatMap(([key, replacement]) =>
        checkReplacement(field, replacement, readDate).map((fault) => `${place(key)}: ${fault}`),
      ),
    )
    if (mapping.separators !== undefined && !field.array)
      faults.add(`the map splits ${name}, which is no list`)
    return [...faults]
  })
}

const listFieldFaults = (columns: readonly TableColumn[], selected: readonly Resource[]): string[] => {
  const known = new Set([...envelope, ...selected.flatMap(({ fields }) => [...fields.keys()])])
  const byField = Map.groupBy(columns, ({ field }) => field)
  const unknown = [...byField.keys()].filter((field) => !known.has(field) && !isComputed(field, selected))
  const hasNoHint = unknown.some((field) => findLikelyField(field, known) === undefined)
  const doubled = [...byField].filter(([, group]) => group.length > 1)
  const [only, ...others] = selected
  const missing =
    others.length > 0 ? [] : (only?.importing.required.filter((field) => !byField.has(field)) ?? [])
  return [
    ...unknown.map((field) => `no field is named "${field}"${suggestField(field, known)}`),
    ...(hasNoHint
      ? [`the fields are ${listFields(selected)} (--suggest-map <file> writes a first map of the columns)`]
      : []),
    ...doubled.map(
      ([field, group]) => `${field} has ${group.length} columns: ${quoteAll(group.map(({ name }) => name))}`,
    ),
    ...missing.map((field) => `${field} has no column`),
  ]
}

const requireEnvelope = (columns: readonly TableColumn[], { resource, customer }: ColumnOptions) => {
  const has = (name: string) => columns.some(({ field }) => field === name)
  if (!resource && !has('resource')) throw new UnusableFile(messages.csv)
  const isOwned = resource && !resources[resource].reference
  if (isOwned && !customer && !has('customer')) throw new UnusableFile(messages.customers)
}

/** Returns the columns to read. Throws `UnusableFile`: one fault of the envelope, otherwise all faults. */
export const planColumns = (header: readonly TableCell[], options: ColumnOptions): TableColumn[] => {
  const { resource, mappings = [], dates } = options
  const selected = resource ? [resources[resource]] : resourceNames.map((name) => resources[name])
  const mapped = new Map(mappings.map((mapping) => [mapping.column, mapping]))
  const names = header.map((cell) => (cell ?? '').trim())
  const columns = names.flatMap((name, index): TableColumn[] => {
    const mapping = mapped.get(name)
    return (mapping?.fields ?? [name]).map((field) => ({ index, name, field, mapping }))
  })
  requireEnvelope(columns, options)
  const headerFaults = listFieldFaults(columns, selected)
  const mapFaults = [
    ...listMappingFaults(mappings, names),
    ...listReplacementFaults(columns, selected, dates),
  ]
  const faults = [...headerFaults, ...mapFaults]
  const place = headerFaults.length > 0 ? 'The header of the table' : 'The map of the table'
  if (faults.length > 0) throw new UnusableFile(`${place}: ${faults.join('; ')}`)
  return columns.filter(({ field }) => !isComputed(field, selected))
}
