import { type QueryString, splitList } from '../../http/pairs.ts'
import { into, many, oneOfNames, type ParameterReader } from '../../lists/readers.ts'
import type { Resource, ResourceName } from '../resources/define.ts'
import { resourceNames } from '../resources/index.ts'

// Scopes are checked before the query is parsed (contract, section 4). The parser then refuses unknown names.
const readNames = ({ pairs }: QueryString, parameter: string): string[] =>
  pairs.filter(({ name }) => name === parameter).flatMap(({ value }) => splitList(value ?? ''))

/** Returns a function that lists the scopes of the resources in `parameter`. */
export const createNamedScopes =
  (parameter: string) =>
  (rawQuery: QueryString): string[] => {
    const named = readNames(rawQuery, parameter)
    return resourceNames.filter((name) => named.includes(name)).map((name) => `${name}:read`)
  }

/** Returns the scopes of the included resources. */
export const includedScopes = ({ includes }: Resource, rawQuery: QueryString): string[] => {
  // Most requests need no parsing. An escape may hide the name.
  const { text } = rawQuery
  if (!text.includes('include') && !text.includes('%')) return []
  return readNames(rawQuery, 'include').flatMap((name) =>
    Object.hasOwn(includes, name) ? [`${includes[name]?.resource}:read`] : [],
  )
}

/** Returns the reader of a list of resources. It writes them to `draft` in the order of `resourceNames`. */
export const resourcesReader = (draft: {
  resources?: readonly ResourceName[] | undefined
}): ParameterReader =>
  many(
    oneOfNames(resourceNames, 'invalid_value', 'resources'),
    into(draft, 'resources', (names: string[]) => resourceNames.filter((name) => names.includes(name))),
  )
