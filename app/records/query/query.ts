import type { Field, Resource } from '../resources/define.ts'

/** `eq` and `ne` are normalised to `in` and `nin` with one value. `words` is only of `q`. */
export type Operator = 'in' | 'nin' | 'gt' | 'gte' | 'lt' | 'lte' | 'prefix' | 'null' | 'all' | 'words'

export const normalised: Readonly<Record<string, Operator>> = { eq: 'in', ne: 'nin' }

export type Condition = { field: string; operator: Operator; values: readonly string[] }

export type SortKey = { key: string; descending: boolean }

/** A valid query. Relative dates, such as `today+90d`, are not resolved yet. */
export type Query = {
  resource: Resource
  conditions: readonly Condition[]
  sort: readonly SortKey[]
  /** In the client's order, with `id`. `undefined`: all. */
  fields?: readonly string[] | undefined
  includes: readonly string[]
  /** Infinity if an export has no limit. */
  limit: number
  cursor?: string | undefined
  count: boolean
  hasByteOrderMark: boolean
  /** Day for computed fields. `undefined`: today. */
  on?: string | undefined
  /** Show the record at the end of this day. `undefined`: now. */
  asOf?: string | undefined
  /** Days. `undefined`: the customer's setting. */
  expiringWithin?: number | undefined
}

export const rangeOperators: readonly string[] = ['gt', 'gte', 'lt', 'lte']

/** Returns the operators of a field, as clients write them. */
export const getOperators = (field: Field): readonly string[] => {
  if (!field.filter) return []
  if (field.array) return ['eq', 'ne', 'in', 'nin', 'all']
  const operators = ['eq', 'ne', 'in', 'nin']
  if (field.filter === 'range') operators.push(...rangeOperators)
  if (field.filter === 'prefix') operators.push('prefix')
  if (!field.computed) operators.push('null')
  return operators
}

export const parseSortKey = (text: string): SortKey =>
  text.startsWith('-') ? { key: text.slice(1), descending: true } : { key: text, descending: false }

export const formatSortKey = ({ key, descending }: SortKey): string => (descending ? `-${key}` : key)

export const defaultLimit = 50
export const maxLimit = 500
export const maxSortKeys = 3
export const maxParameters = 30
export const maxValues = 200

/** Names under which clients send credentials by mistake. Refused, because addresses are logged. */
export const tokenParameters: readonly string[] = [
  'access_token',
  'token',
  'api_key',
  'apikey',
  'client_secret',
]
