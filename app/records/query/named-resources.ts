import { type QueryString, splitList } from '../../http/pairs.ts'
import { into, many, oneOfNames, type ParameterReader } from '../../lists/parameters.ts'
import type { Field, Include, Resource, ResourceName } from '../resources/define.ts'
import { resourceNames, resources } from '../resources/index.ts'

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

/** Returns the scopes of the included resources, in `include` and in the `fields` of an export. */
export const includedScopes = ({ includes }: Resource, rawQuery: QueryString): string[] => {
  // Most requests need no parsing. An escape may hide the name.
  const { text } = rawQuery
  if (!text.includes('include') && !text.includes('.') && !text.includes('%')) return []
  const named = [
    ...readNames(rawQuery, 'include'),
    ...readNames(rawQuery, 'fields').flatMap((name) => findIncluded(name)?.[0] ?? []),
  ]
  return named.flatMap((name) => (Object.hasOwn(includes, name) ? [`${includes[name]?.resource}:read`] : []))
}

const findIncluded = (name: string): [include: string, field: string] | undefined => {
  const [include = '', field, ...more] = name.split('.')
  return field === undefined || more.length > 0 ? undefined : [include, field]
}

export type IncludedField = Readonly<{ include: Include; resource: Resource; field: Field }>

/** Returns the field of an included record that `product.name` names. `undefined` if the resource has none. */
export const getIncludedField = ({ includes }: Resource, name: string): IncludedField | undefined => {
  const [key, fieldName] = findIncluded(name) ?? []
  const include = key !== undefined && Object.hasOwn(includes, key) ? includes[key] : undefined
  const resource = include && resources[include.resource]
  const field = fieldName === undefined ? undefined : resource?.fields.get(fieldName)
  return include && resource && field && { include, resource, field }
}

/** Lists the names of all fields of included records, such as `product.name`. */
export const listIncludedFields = ({ includes }: Resource): string[] =>
  Object.entries(includes).flatMap(([name, { resource }]) =>
    [...resources[resource].fields.keys()].map((field) => `${name}.${field}`),
  )

/** Returns the reader of a list of resources. It writes them to `draft` in the order of `resourceNames`. */
export const resourcesReader = (draft: {
  resources?: readonly ResourceName[] | undefined
}): ParameterReader =>
  many(
    oneOfNames(resourceNames, 'invalid_value', 'resources'),
    into(draft, 'resources', (names: string[]) => resourceNames.filter((name) => names.includes(name))),
  )
