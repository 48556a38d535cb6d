import type { Resource } from '../resources/define.ts'

/** `eq` and `ne` are normalised to `in` and `nin` with one value. `words` is only of `q`. */
export type Operator = 'in' | 'nin' | 'gt' | 'gte' | 'lt' | 'lte' | 'prefix' | 'null' | 'all' | 'words'

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

export const maxSortKeys = 3

/** Names under which clients send credentials by mistake. Refused, because addresses are logged. */
export const tokenParameters: readonly string[] = [
  'access_token',
  'token',
  'api_key',
  'apikey',
  'client_secret',
]
