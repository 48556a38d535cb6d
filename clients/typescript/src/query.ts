import type { Value } from './types.ts'

export type Query = Readonly<Record<string, Value | readonly Value[] | undefined>>

/** Within a list a comma is a separator and a backslash escapes (both of them). */
const escapeItem = (value: Value) => String(value).replace(/[\\,]/g, '\\$&')

/** Returns the query string with its `?`, or an empty string. Leaves out undefined values. */
export const formatQuery = (query: Query = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return []
    const text = Array.isArray(value) ? value.map(escapeItem).join(',') : String(value)
    return [`${encodeURIComponent(name)}=${encodeURIComponent(text)}`]
  })
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}
