import { envelope } from '../../../import/line.ts'
import { listStoredFields } from '../../../import/record.ts'
import { findNearest } from '../../../lists/nearest.ts'
import type { Resource } from '../../../records/resources/define.ts'
import { toNameKey } from '../country-names.ts'
import { fieldWords } from './words.ts'

const isWordFor = (field: string, name: string) =>
  fieldWords[field]?.some((word) => toNameKey(word) === toNameKey(name)) ?? false

/**
 * Returns the likely field of each column: of the same name, of a usual word for it, or of the nearest name. `undefined`
 * for a column without a likely field. No field has two columns.
 */
export const suggestFields = (resource: Resource, names: readonly string[]): (string | undefined)[] => {
  const open = new Set([...envelope, ...listStoredFields(resource).map(({ name }) => name)])
  if (resource.reference) for (const name of envelope) open.delete(name)
  const suggested: (string | undefined)[] = names.map(() => undefined)
  const assign = (find: (name: string) => string | undefined) => {
    for (const [index, name] of names.entries()) {
      const field = suggested[index] === undefined && name !== '' ? find(name) : undefined
      if (field === undefined) continue
      suggested[index] = field
      open.delete(field)
    }
  }
  assign((name) => (open.has(name) ? name : undefined))
  assign((name) => [...open].find((field) => isWordFor(field, name)))
  assign((name) => findNearest(name.trim().replaceAll(/[\s.-]+/g, '_'), open))
  return suggested
}
