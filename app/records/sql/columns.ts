import type { Field, Resource } from '../resources/define.ts'
import type { ColumnKind, ExportColumn } from './column.ts'
import { type Bindings, fieldValue } from './projection.ts'

const kinds: Readonly<Record<Field['kind'], ColumnKind>> = {
  text: 'text',
  date: 'date',
  instant: 'instant',
  integer: 'integer',
  boolean: 'boolean',
  json: 'json',
}

const kindOf = ({ name, kind, array, values }: Field): ColumnKind => {
  if (array) return 'texts'
  if (name === 'validity_periods') return 'periods'
  return kind === 'text' && values ? 'token' : kinds[kind]
}

const columnOf = (field: Field, bindings: Bindings): ExportColumn => ({
  name: field.name,
  kind: kindOf(field),
  value: fieldValue(field, bindings),
})

/** Returns the columns of an export over the row alias `r`. `fields`: `undefined` for all. */
export const exportColumns = (
  resource: Resource,
  fields: readonly string[] | undefined,
  bindings: Bindings,
): ExportColumn[] =>
  (fields ?? [...resource.fields.keys()]).map((name) =>
    columnOf(resource.fields.get(name) as Field, bindings),
  )
