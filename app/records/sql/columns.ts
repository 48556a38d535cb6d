import type { Field, Resource } from '../resources/define.ts'
import type { ColumnKind, ExportColumn } from './column.ts'
import { type Bindings, fieldValue } from './projection.ts'

const getColumnKind = ({ name, kind, array, values }: Field): ColumnKind => {
  if (array) return 'texts'
  if (name === 'validity_periods') return 'periods'
  return kind === 'text' && values ? 'token' : kind
}

/** Returns the columns of an export over the row `r`. `fields`: `undefined` for all. */
export const exportColumns = (
  resource: Resource,
  fields: readonly string[] | undefined,
  bindings: Bindings,
): ExportColumn[] =>
  (fields ?? [...resource.fields.keys()]).map((name) => {
    const field = resource.fields.get(name) as Field
    return { name, kind: getColumnKind(field), value: fieldValue(field, bindings) }
  })
