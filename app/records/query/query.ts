import type { Field, Resource } from '../resources/define.ts'

/**
 * Operators after normalisation: `eq` is `in` with one value, `ne` is `nin` with one. `words` is the operator of
 * `q` alone, which is no field.
 */
export type Operator = 'in' | 'nin' | 'gt' | 'gte' | 'lt' | 'lte' | 'prefix' | 'null' | 'all' | 'words'

/** `eq` and `ne` are lists of one; bare `=` is `in`. */
export const normalised: Readonly<Record<string, Operator>> = { eq: 'in', ne: 'nin' }

export type Condition = { field: string; operator: Operator; values: readonly string[] }

export type SortKey = { key: string; descending: boolean }

/** A query that was understood; relative dates are still relative. */
export type Query = {
  resource: Resource
  conditions: readonly Condition[]
  sort: readonly SortKey[]
  /** As asked, without repetition, `id` among them; undefined = all. */
  fields: readonly string[] | undefined
  includes: readonly string[]
  /** Infinity: none, as exports have it. */
  limit: number
  cursor: string | undefined
  count: boolean
  /** Whether a CSV file begins with a byte order mark. */
  hasMark: boolean
  /** Day to compute for; undefined = today. */
  on: string | undefined
  /** The day as of whose end one record is shown; undefined = now. */
  asOf: string | undefined
  /** Days; undefined = the customer's setting. */
  expiringWithin: number | undefined
}

/** Operators by what may be asked of a field, as clients write them. */
export const operatorsOf = (field: Field): readonly string[] => {
  if (!field.filter) return []
  if (field.array) return ['eq', 'ne', 'in', 'nin', 'all']
  const operators = ['eq', 'ne', 'in', 'nin']
  if (field.filter === 'range') operators.push('gt', 'gte', 'lt', 'lte')
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
