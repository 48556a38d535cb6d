import { parsePairs, splitList } from '../../http/pairs.ts'
import { resourceNames } from '../resources/index.ts'

/** Returns a function that lists the scopes of the resources in `parameter`. It ignores unknown names. */
export const createNamedScopes =
  (parameter: string) =>
  (rawQuery: string): string[] => {
    const named = parsePairs(rawQuery)
      .filter(({ name }) => name === parameter)
      .flatMap(({ value }) => splitList(value ?? ''))
    return resourceNames.filter((name) => named.includes(name)).map((name) => `${name}:read`)
  }
