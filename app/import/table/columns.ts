import { timestamps } from '../../../schemas/fields.ts'
import { findNearest } from '../../records/query/nearest.ts'
import type { Resource, ResourceName } from '../../records/resources/define.ts'
import { resourceNames, resources } from '../../records/resources/index.ts'
import { messages, UnusableFile } from '../file-kind.ts'
import { envelope } from '../line.ts'
import type { TableCell } from './rows.ts'

/** A column with an empty `field` is ignored. */
export type ColumnMapping = readonly [column: string, field: string]

export type ColumnOptions = {
  resource?: ResourceName | undefined
  customer?: string | undefined
  mappings?: readonly ColumnMapping[]
}

export type TableColumn = { index: number; name: string; field: string }

const suggest = (name: string, known: Iterable<string>): string => {
  const nearest = findNearest(name.replaceAll(/[\s.-]+/g, '_'), known)
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`
}

const quoteAll = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')

const isComputed = (field: string, selected: readonly Resource[]) =>
  field in timestamps || selected.every(({ fields }) => fields.get(field)?.computed !== undefined)

const listMappingFaults = (mappings: readonly ColumnMapping[], names: readonly string[]): string[] =>
  mappings.flatMap(([name], index) => {
    if (mappings.findIndex(([other]) => other === name) < index) return [`--map names "${name}" twice`]
    return names.includes(name) ? [] : [`--map names "${name}", which is no column${suggest(name, names)}`]
  })

const listFieldFaults = (columns: readonly TableColumn[], selected: readonly Resource[]): string[] => {
  const known = new Set([...envelope, ...selected.flatMap(({ fields }) => [...fields.keys()])])
  const byField = Map.groupBy(columns, ({ field }) => field)
  const unknown = [...byField.keys()].filter((field) => !known.has(field))
  const doubled = [...byField].filter(([, group]) => group.length > 1)
  const [only, ...others] = selected
  const missing =
    others.length > 0 ? [] : (only?.importing.required.filter((field) => !byField.has(field)) ?? [])
  return [
    ...unknown.map((field) => `no field is named "${field}"${suggest(field, known)}`),
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
  const { resource, mappings = [] } = options
  const selected = resource ? [resources[resource]] : resourceNames.map((name) => resources[name])
  const mapped = new Map(mappings)
  const names = header.map((cell) => (cell ?? '').trim())
  const columns = names
    .map((name, index) => ({ index, name, field: mapped.get(name) ?? name }))
    .filter(({ name }) => mapped.get(name) !== '')
  requireEnvelope(columns, options)
  const faults = [...listMappingFaults(mappings, names), ...listFieldFaults(columns, selected)]
  if (faults.length > 0) throw new UnusableFile(`The header of the table: ${faults.join('; ')}`)
  return columns.filter(({ field }) => !isComputed(field, selected))
}
