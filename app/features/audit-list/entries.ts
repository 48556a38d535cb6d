import { sql } from 'kysely'
import { auditActions } from '../../audit/record.ts'
import type { ExportColumn, Sql } from '../../records/sql/column.ts'

export type EntryFilter = Readonly<{
  kind: 'instant' | 'texts' | 'number'
  values?: readonly string[]
  /** `undefined` if `splitEntries` has the condition. */
  condition?: (values: readonly string[]) => Sql
}>

type EntryConditions = ReadonlyMap<string, readonly string[]>

const outcomes = ['ok', 'refused']

export const entryColumns: readonly ExportColumn[] = [
  { name: 'id', kind: 'token', value: sql`c.number::text` },
  { name: 'entry', kind: 'json', value: sql`c.entry` },
]

/** Filters of `audit_copies c`. */
export const entryFilters: Readonly<Record<string, EntryFilter>> = {
  since: { kind: 'instant', condition: ([value]) => sql`c.at >= ${value}::timestamptz` },
  until: { kind: 'instant', condition: ([value]) => sql`c.at < ${value}::timestamptz` },
  action: { kind: 'texts', values: auditActions },
  key: { kind: 'texts' },
  outcome: { kind: 'texts', values: outcomes },
  after: { kind: 'number', condition: ([value]) => sql`c.number > ${value}::bigint` },
}

/**
 * Returns a table with a part for each action, outcome and key, and its join condition with `audit_copies c`.
 * Each part is in the order of an index: `audit_copies_action` or `audit_copies_key`. `undefined` if there is no
 * filter for these columns.
 */
export const splitEntries = (conditions: EntryConditions): { parts: Sql; where: Sql } | undefined => {
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
