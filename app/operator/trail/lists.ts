import { sql } from 'kysely'
import { auditActions } from '../../audit/record.ts'
import { instantText } from '../../db/instant.ts'
import type { ExportColumn, Sql } from '../../records/sql/column.ts'

/** What a filter takes: an instant, one of some values, or a list of texts. */
export type TrailFilter = Readonly<{
  kind: 'instant' | 'texts' | 'number' | 'numbers'
  /** The values that there are; absent: any. */
  values?: readonly string[]
  condition: (values: readonly string[]) => Sql
}>

/** A list of the audit trail, newest first. `s` has the customer. */
export type TrailList = Readonly<{
  /** The path below `/v1/`. */
  path: string
  columns: readonly ExportColumn[]
  filters: Readonly<Record<string, TrailFilter>>
  /** The tables and what is always asked of them, the customer first. */
  from: Sql
  where: Sql
  /** A whole number by which the list is sorted. */
  order: Sql
}>

const base64url = (bytes: string) => `translate(encode(${bytes}, 'base64'), '+/=', '-_')`
const path = `coalesce((select '["' || string_agg(${base64url('substr(c.path, 32 * i + 1, 32)')}, '","' order by i)
  || '"]' from generate_series(0, octet_length(c.path) / 32 - 1) i), '[]')`
const proof = `('{"root":' || c.root_no || ',"index":' || c.leaf_index || ',"salt":"' || ${base64url('c.salt')}
  || '","path":' || ${path} || '}')::json`

const anyOf = (column: string) => (values: readonly string[]) =>
  sql`${sql.raw(column)} = any(${values}::text[])`
const from =
  (column: string) =>
  ([value]: readonly string[]) =>
    sql`${sql.raw(column)} >= ${value}::timestamptz`
const before =
  (column: string) =>
  ([value]: readonly string[]) =>
    sql`${sql.raw(column)} < ${value}::timestamptz`

/**
 * The customer's entries with their proofs. An entry is there once its minute has a root. Indexes: the primary key,
 * backwards; for a time, the index on customer and time.
 */
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
    action: { kind: 'texts', values: auditActions, condition: anyOf('c.action') },
    key: { kind: 'texts', condition: anyOf('c.key_id') },
    outcome: { kind: 'texts', values: ['ok', 'refused'], condition: anyOf('c.outcome') },
    after_root: { kind: 'number', condition: ([value]) => sql`c.root_no > ${value}::bigint` },
  },
  from: sql`audit_copies c`,
  where: sql`c.customer_id = s.customer_id and c.root_no is not null`,
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
