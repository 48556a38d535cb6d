import { parsePairs, splitList } from '../../http/pairs.ts'
import { resourceNames } from '../resources/index.ts'

/**
 * Returns a function that lists the scopes of the resources in `parameter`. Scopes are checked before the
 * rest of the query (contract, section 4), so unknown names are ignored.
 */
export const createNamedScopes =
  (parameter: string) =>
  (rawQuery: string): string[] => {
    const named = parsePairs(rawQuery)
      .filter(({ name }) => name === parameter)
      .flatMap(({ value }) => splitList(value ?? ''))
    return resourceNames.filter((name) => named.includes(name)).map((name) => `${name}:read`)
  }
