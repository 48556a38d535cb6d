import { sql } from 'kysely'
import { auditActions } from '../../audit/record.ts'
import { instantText } from '../../db/instant.ts'
import type { ExportColumn, Sql } from '../../records/sql/column.ts'

export type TrailFilter = Readonly<{
  kind: 'instant' | 'texts' | 'number' | 'numbers'
  values?: readonly string[]
  /** `undefined` if `split` has the condition. */
  condition?: (values: readonly string[]) => Sql
}>

type TrailConditions = ReadonlyMap<string, readonly string[]>

export type TrailList = Readonly<{
  path: string
  columns: readonly ExportColumn[]
  filters: Readonly<Record<string, TrailFilter>>
  /** `where` has the conditions of every query. The query adds a row `s` with the `customer_id`. */
  from: Sql
  where: Sql
  /** A table of parts, each in the order of an index, and the join condition. Needs alias `c` in `from`. */
  split?: (conditions: TrailConditions) => Readonly<{ parts: Sql; where: Sql }> | undefined
  /** A unique integer. Rows are sorted by it, the greatest first. */
  order: Sql
}>

const base64url = (bytes: string) => `translate(encode(${bytes}, 'base64'), '+/=', '-_')`
const path = `coalesce((select '["' || string_agg(${base64url('substr(c.path, 32 * i + 1, 32)')}, '","' order by i)
  || '"]' from generate_series(0, octet_length(c.path) / 32 - 1) i), '[]')`
const proof = `('{"root":' || c.root_no || ',"index":' || c.leaf_index || ',"salt":"' || ${base64url('c.salt')}
  || '","path":' || ${path} || '}')::json`

const from =
  (column: string) =>
  ([value]: readonly string[]) =>
    sql`${sql.raw(column)} >= ${value}::timestamptz`
const before =
  (column: string) =>
  ([value]: readonly string[]) =>
    sql`${sql.raw(column)} < ${value}::timestamptz`

const outcomes = ['ok', 'refused']

/** Makes a part for each action, outcome and key. Indexes: `audit_copies_action` and `audit_copies_key`. */
const splitEntries: TrailList['split'] = (conditions) => {
  const [action, outcome, key] = ['action', 'outcome', 'key'].map((name) => conditions.get(name))
  if (!action && !outcome && !key) return undefined
  const list = (values: readonly string[]) => sql`unnest(${[...new Set(values)]}::text[])`
  const parts = sql`${list(action ?? auditActions)} a (action) cross join ${list(outcome ?? outcomes)} o (outcome)`
  const where = sql`c.action = a.action and c.outcome = o.outcome`
  if (!key) return { parts, where }
  return {
    parts: sql`${parts} cross join ${list(key)} k (key_id)`,
    where: sql`${where} and c.key_id = k.key_id`,
  }
}

// Bisects to the newest entry in this root or an earlier one: numbers have no gaps, and roots grow with them.
// `offset 0` prevents inlining: division is not leakproof, so row level security could not use the index.
const newestUpTo = (root: string | undefined) => sql`(with recursive search (low, high) as (
    select coalesce(min(n.number), 1) - 1, coalesce(max(n.number), 0) from audit_copies n
    where n.customer_id = s.customer_id
    union all
    select case when is_older then middle else low end, case when is_older then high else middle - 1 end
    from (select *, (low + high + 1) / 2 as middle from search where low < high offset 0) m
    cross join lateral (select coalesce((select n.root_no <= ${root}::bigint from audit_copies n
      where n.customer_id = s.customer_id and n.number = m.middle), false) as is_older) tried
  ) select max(low) from search)`

/** Entries that have a root. Indexes: the primary key, backwards; `audit_copies_at`; see `splitEntries`. */
export const entryList: TrailList = {
  path: 'audit',
  columns: [
    { name: 'id', kind: 'token', value: sql`c.number::text` },
    { name: 'entry', kind: 'json', value: sql`c.entry::json` },
    { name: 'proof', kind: 'json', value: sql.raw(proof) },
  ],
  filters: {
    since: { kind: 'instant', condition: from('c.at') },
    until: { kind: 'instant', condition: before('c.at') },
    action: { kind: 'texts', values: auditActions },
    key: { kind: 'texts' },
    outcome: { kind: 'texts', values: outcomes },
    after_root: { kind: 'number', condition: ([value]) => sql`c.number > ${newestUpTo(value)}` },
  },
  from: sql`audit_copies c`,
  where: sql`c.customer_id = s.customer_id and c.root_no is not null`,
  split: splitEntries,
  order: sql`c.number`,
}

/** The signed roots, which are the same for all customers. Index: the primary key, backwards. */
export const rootList: TrailList = {
  path: 'audit/roots',
  columns: [
    { name: 'id', kind: 'token', value: sql`r.root_no::text` },
    { name: 'at', kind: 'token', value: sql.raw(instantText('r.at')) },
    { name: 'statement', kind: 'token', value: sql`r.statement` },
    {
      name: 'key',
      kind: 'json',
      value: sql`(select k.public_jwk from audit_root_keys k where k.kid = r.kid)`,
    },
  ],
  filters: {
    id: { kind: 'numbers', condition: (values) => sql`r.root_no = any(${values}::bigint[])` },
    since: { kind: 'instant', condition: from('r.at') },
    until: { kind: 'instant', condition: before('r.at') },
    after_root: { kind: 'number', condition: ([value]) => sql`r.root_no > ${value}::bigint` },
  },
  from: sql`audit_roots r`,
  where: sql`s.customer_id is not null`,
  order: sql`r.root_no`,
}
