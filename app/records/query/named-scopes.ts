import { parsePairs, splitList } from '../../http/pairs.ts'
import type { Resource } from '../resources/define.ts'
import { resourceNames } from '../resources/index.ts'

// Scopes are checked before the query is parsed (contract, section 4). The parser then refuses unknown names.
const readNames = (rawQuery: string, parameter: string): string[] =>
  parsePairs(rawQuery)
    .filter(({ name }) => name === parameter)
    .flatMap(({ value }) => splitList(value ?? ''))

/** Returns a function that lists the scopes of the resources in `parameter`. */
export const createNamedScopes =
  (parameter: string) =>
  (rawQuery: string): string[] => {
    const named = readNames(rawQuery, parameter)
    return resourceNames.filter((name) => named.includes(name)).map((name) => `${name}:read`)
  }

/** Returns the scopes of the included resources. */
export const includedScopes = ({ includes }: Resource, rawQuery: string): string[] => {
  // Most requests need no parsing. An escape may hide the name.
  if (!rawQuery.includes('include') && !rawQuery.includes('%')) return []
  return readNames(rawQuery, 'include').flatMap((name) =>
    Object.hasOwn(includes, name) ? [`${includes[name]?.resource}:read`] : [],
  )
}
