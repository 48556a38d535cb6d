import { findNearest } from '../../../lists/nearest.ts'
import type { TableColumn } from './columns.ts'

const noteOfField = /^(\w+)((?:\.\w+)*)(?=:| must )/
const unknownWord = / must be one of .*; found ("(?:[^"\\]|\\.)*")$/

const wrongId = /^id: expected 1 to 64 .*; found ("(?:[^"\\]|\\.)*")$/

/** The formula that replaces the first character that an id may not have. */
const suggestFormula = (note: string): string => {
  const found = wrongId.exec(note)?.[1]
  const [character] = found === undefined ? [] : (/[^A-Za-z0-9._~-]/.exec(JSON.parse(found) as string) ?? [])
  // In a formula, a control character could not be read, and a quote would end the text.
  if (character === undefined || !/[^\p{Cc}"]/u.test(character)) return ''
  return `; add a column for the id with =SUBSTITUTE(A2,"${character}","-"), in German Excel =WECHSELN(A2;"${character}";"-")`
}

/** The nearest word to which the map gives a value. */
const suggestWord = (note: string, { mapping }: TableColumn): string => {
  const found = unknownWord.exec(note)?.[1]
  if (found === undefined || !mapping) return ''
  const nearest = findNearest((JSON.parse(found) as string).toLowerCase(), mapping.values.keys())
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`
}

/**
 * Returns a function that adds the name of its column to a note on a field: `valid_until ("Gültig bis"): …`, and the
 * nearest word of the map to an unknown value.
 */
export const createDescriber = (columns: readonly TableColumn[]): ((note: string) => string) => {
  const byField = new Map(columns.map((column) => [column.field, column]))
  return (note) => {
    const [start = '', field = ''] = noteOfField.exec(note) ?? []
    const column = byField.get(field)
    if (!column) return note
    const shown = column.name === field ? '' : ` (${JSON.stringify(column.name)})`
    return `${start}${shown}${note.slice(start.length)}${suggestWord(note, column)}${suggestFormula(note)}`
  }
}
