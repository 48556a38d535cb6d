import { envelope } from '../../../import/line.ts'
import { listStoredFields } from '../../../import/record.ts'
import { findNearest } from '../../../lists/nearest.ts'
import type { Resource } from '../../../records/resources/define.ts'
import { toNameKey } from '../country-names.ts'
import { fieldWords } from './words.ts'

/** Short words have no plural here: `Daten` is not `Date`. */
const pluralEnd = /(?<=^.{5,})(?:en|e|n|s)$/
const toSingular = (name: string) => toNameKey(name).replace(pluralEnd, '')

const isWordFor = (field: string, name: string, toKey = toNameKey) =>
  fieldWords[field]?.some((word) => toKey(word) === toKey(name)) ?? false

/** The number of a certificate, report or project. */
const ownNumbers = ['number', 'report_number', 'project_number']

/** In a table without a better column for it. */
const isNumberWord = (name: string) => ['nr', 'no', 'nummer'].includes(toNameKey(name))

/** Lists the fields that a column may have. */
export const listColumnFields = (resource: Resource): string[] => [
  ...(resource.reference ? [] : envelope),
  ...listStoredFields(resource).map(({ name }) => name),
]

/** Returns the field for which a column's name is a usual word, also in the plural, or the nearest field. */
export const findLikelyField = (name: string, fields: Iterable<string>): string | undefined => {
  const open = [...fields]
  return (
    open.find((field) => isWordFor(field, name)) ??
    open.find((field) => isWordFor(field, name, toSingular)) ??
    findNearest(name.trim().replaceAll(/[\s.-]+/g, '_'), open)
  )
}

/**
 * Returns the likely field of each column: of the same name, of a usual word for it, or of the nearest name. `undefined`
 * for a column without a likely field. No field has two columns.
 */
export const suggestFields = (resource: Resource, names: readonly string[]): (string | undefined)[] => {
  const open = new Set(listColumnFields(resource))
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
  assign((name) => findLikelyField(name, open))
  assign((name) => (isNumberWord(name) ? ownNumbers.find((field) => open.has(field)) : undefined))
  return suggested
}
