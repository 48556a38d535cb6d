import type { Value } from './types.ts'

export type Query = Readonly<Record<string, Value | readonly Value[] | undefined>>

/** Within a list a comma is a separator and a backslash escapes (both of them). */
const escapeItem = (value: Value) => String(value).replace(/[\\,]/g, '\\$&')

/** The query's text, with its `?`, or nothing. Undefined values are left out. */
export const formatQuery = (query: Query = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return []
    const text = Array.isArray(value) ? value.map(escapeItem).join(',') : String(value)
    return [`${encodeURIComponent(name)}=${encodeURIComponent(text)}`]
  })
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}
