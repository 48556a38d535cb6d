import type { ParsedLine } from './line.ts'
import { quoteText } from './quote.ts'

/** Bounds the memory to about 40 MB. Of two lines with one id that are further apart, the later one has no warning. */
const maxKeys = 200_000

/** Returns a function that warns of a record that an earlier line of the file has, too. */
export const createRepeatedKeyCheck = (): ((line: ParsedLine) => string[]) => {
  const lines = new Map<string, number>()
  return ({ line, key: { resource, customer, id } }) => {
    const key = `${resource} ${customer} ${id}`
    const earlier = lines.get(key)
    lines.delete(key)
    lines.set(key, line)
    if (lines.size > maxKeys) lines.delete(lines.keys().next().value as string)
    if (earlier === undefined) return []
    return [`id: line ${earlier} has the same id, and this later line replaces it; found ${quoteText(id)}`]
  }
}
