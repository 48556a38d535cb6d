import { parsePairs, splitList } from '../../http/pairs.ts'
import { resourceNames } from '../resources/index.ts'

/**
 * Returns a function of a raw query: the scopes of the resources that a parameter names, as far as there are such. They are
 * judged before anything else of the query (contract, section 4).
 */
export const createNamedScopes =
  (parameter: string) =>
  (rawQuery: string): string[] => {
    const named = parsePairs(rawQuery)
      .filter(({ name }) => name === parameter)
      .flatMap(({ value }) => splitList(value ?? ''))
    return resourceNames.filter((name) => named.includes(name)).map((name) => `${name}:read`)
  }
