import { sql } from 'kysely'
import type { Snapshot } from '../../cache/snapshot.ts'
import { begunForAll, historyTable, isMark, isOfRecord, stateRow } from '../../records/history/states.ts'
import type { Resource } from '../../records/resources/define.ts'
import type { Sql } from '../../records/sql/column.ts'
import { type Bindings, bindExpression, columnFromJson } from '../../records/sql/projection.ts'
import type { DayAndWindow } from './token.ts'

/** The last state that a follower has seen. See docs/decisions/0092-the-feed-compares-with-the-token.md. */
export type Seen = Readonly<{ snapshot: Pick<Snapshot, 'text'>; at: string; moment: DayAndWindow }>

/** Other computed fields, such as `days_remaining`, change without events. */
const listComputed = ({ fields }: Resource): [name: string, expression: string][] =>
  [...fields.values()].flatMap(({ name, computed }) => (computed?.where ? [[name, computed.select]] : []))

const toJson = (expression: string, bindings: Bindings): Sql =>
  sql`to_jsonb(${bindExpression(expression, bindings)})`

/** Rows of name and previous value. `undefined` without such fields. */
const computedRows = (resource: Resource, moment: DayAndWindow, bindings: Bindings): Sql | undefined => {
  const all = listComputed(resource)
  if (all.length === 0) return undefined
  const now = all.map(([name, expression]) => sql`${toJson(expression, bindings)} as ${sql.ref(name)}`)
  const rows = all.map(
    ([name, expression]) => sql`(${sql.lit(name)}, ${toJson(expression, moment)}, n.${sql.ref(name)})`,
  )
  return sql`select v.name, v.was from (select ${sql.join(now)}) n
    cross join ${stateRow(resource, sql`to_jsonb(r) || u.former`)}
    cross join lateral (values ${sql.join(rows)}) v (name, was, is_now) where v.was is distinct from v.is_now`
}

/** The previous value `k.was` as JSON text. Nested values are written as in responses. */
const formerText = (resource: Resource): string => {
  const nested = [...resource.fields.values()].filter(
    ({ kind, array, computed }) => !computed && (kind === 'json' || array),
  )
  const cases = nested.map(
    ({ name }) => `when '${name}' then to_json(${columnFromJson(resource, name, 'k.was')})::text`,
  )
  return `case k.name ${cases.join(' ')} else k.was::text end`
}

const summary = (resource: Resource, fields: readonly string[] | undefined): Sql => {
  const former = sql.raw(formerText(resource))
  const isChosen = fields ? sql` filter (where k.name = any(${fields}::text[]))` : sql``
  return sql`select string_agg(to_json(k.name)::text, ',' order by k.name)${isChosen} as names,
    string_agg(to_json(k.name)::text || ':' || coalesce(${former}, 'null'), ',' order by k.name)${isChosen} as former`
}

/** Ids above those of this database are from another one, whose dump was restored here. */
const isKnown = ({
  snapshot,
}: Seen): Sql => sql`(pg_visible_in_snapshot(r.created_xid, ${snapshot.text}::pg_snapshot)
  or r.created_xid >= pg_snapshot_xmax(pg_current_snapshot()))`

/**
 * Joins a row `d` that compares a record `r` with the follower's state. `names`, `former`: JSON of fields
 * that differ, or null. `known`: null if the follower may lack `r` or history is missing. Index: primary key.
 */
export const joinDifferences = (
  resource: Resource,
  seen: Seen,
  bindings: Bindings,
  fields?: readonly string[],
): Sql => {
  const ofRecord = isOfRecord(resource, sql`r.id`)
  const computed = computedRows(resource, seen.moment, bindings)
  return sql`left join lateral (
      select h.position from ${historyTable(resource)}
      where ${ofRecord} and pg_visible_in_snapshot(h.xid, ${seen.snapshot.text}::pg_snapshot)
      order by h.position desc limit 1
    ) v on true
    left join lateral (
      select merge_objects(h.old order by h.position desc) as former, bool_or(${isMark}) as is_forgotten
      from ${historyTable(resource)} where ${ofRecord} and h.position > greatest(history_floor(), coalesce(v.position, -1))
    ) u on true
    left join lateral (
      select d.*, true as known from (${summary(resource, fields)} from (
        select e.key as name, e.value as was from jsonb_each(u.former) e
        where e.value is distinct from to_jsonb(r) -> e.key and e.key <> 'created_at'
        ${computed ? sql`union all ${computed}` : sql``}
      ) k) d
      where u.is_forgotten is not true and ${begunForAll(resource)} <= ${seen.at}::timestamptz
        and ${isKnown(seen)}
    ) d on true`
}
