import type { Field, Resource } from '../records/resources/define.ts'
import type { Context } from './check-templates.ts'
import type { Path } from './faults.ts'

/** Whether an aggregate takes a field. */
export const aggregated = {
  sum: (field: Field) => field.kind === 'integer',
  avg: (field: Field) => field.kind === 'integer',
  min: (field: Field) => ['integer', 'date', 'instant'].includes(field.kind),
  max: (field: Field) => ['integer', 'date', 'instant'].includes(field.kind),
}

/** The field of this name, if it fits; undefined, with a fault, where it does not. */
export const findField = (
  { name: resourceName, fields }: Resource,
  name: string,
  isFit: (field: Field) => boolean,
  path: Path,
  { faults }: Context,
): Field | undefined => {
  const field = fields.get(name)
  if (field && !field.array && isFit(field)) return field
  const known = [...fields.values()].filter((each) => !each.array && isFit(each)).map((each) => each.name)
  const expected =
    known.length > 0 ? `expected one of: ${known.join(', ')}` : `${resourceName} has no field for it`
  faults.add(path, `${name} ${field ? 'is not of that kind' : 'is no field'}; ${expected}`, name, known)
  return undefined
}

/**
 * Whether records can be counted by the field. Such fields have few values each. Names and numbers would make as
 * many groups as there are records.
 */
export const isGrouping = (field: Field): boolean =>
  (field.kind === 'text' || field.kind === 'boolean') && field.filter === 'equal' && field.name !== 'id'
