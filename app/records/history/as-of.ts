import { sql } from 'kysely'
import type { Filled } from '../../cache/entry.ts'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import { ApiError } from '../../errors.ts'
import { type Stamp, stampColumns, toFilled } from '../../lists/answer.ts'
import type { QueryPlan } from '../query/plan.ts'
import { projection } from '../sql/projection.ts'
import { isOwned, session } from '../sql/session.ts'
import { begunAt, historyTable, isMark, isOfRecord, lastEnd, operation, stateRow } from './states.ts'

type AsOfRow = Stamp & {
  /** Null if the record did not exist at the end of the day. */
  data: string | null
  /** Whether the record's state at the end of the day is known. `begins`: the first such day, YYYY-MM-DD. */
  reached: boolean
  begins: string
}

/** Omits fields that count other records of the customer: their past values are not stored. */
const fieldsOfDay = ({ resource, fields }: QueryPlan): string[] =>
  [...resource.fields.values()]
    .filter(
      ({ name, computed }) => (fields?.includes(name) ?? true) && !computed?.select.includes(':customer'),
    )
    .map(({ name }) => name)

/** Returns the statement for one record at the end of `plan.day` (UTC). Index: primary keys, also of history. */
export const asOfStatement = (plan: QueryPlan, id: string) => {
  const { customerId, resource, day, window } = plan
  const ofRecord = isOfRecord(resource, sql`${id}`)
  const bound = sql`((${day}::date + 1)::timestamp at time zone 'UTC')`
  return sql<AsOfRow>`
    select ${stampColumns}, page.*
    from ${session(customerId, resource.computedForDay)}
    cross join lateral (
      with begun as materialized (
        select greatest(${begunAt(resource)}, (
          select f.at from (
            select h.at, ${isMark} as is_mark from ${historyTable(resource)} where ${ofRecord} order by h.position limit 1) f
          where f.is_mark)) as since
      ), present as materialized (
        select to_jsonb(r) as state, r.created_at, r.updated_at, coalesce(l.position + 1, 0) as position
        from ${sql.table(resource.name)} r ${lastEnd(resource, sql`r.id`)}
        where ${isOwned(resource)} and r.id = ${id}
      ), later as materialized (
        select h.position, h.since, h.old, ${operation} as op from ${historyTable(resource)}
        where ${ofRecord} and h.at >= ${bound} and ${isMark} is not true
        union all select p.position, null, null, 'create' from present p where p.created_at >= ${bound}
      ), oldest as (
        select l.since, l.op from later l order by l.position limit 1
      ), known as (
        select case when o.op is null then p.updated_at else o.since end as since,
          least(p.updated_at, (select min(l.since) from later l)) as first,
          case when o.op is distinct from 'create' and (p.state is not null or o.op is not null)
          then coalesce(p.state, '{}') || (select merge_objects(l.old order by l.position desc) from later l) end as state
        from (select) one left join present p on true left join oldest o on true
      )
      select x.data, ${bound} > least(begun.since, known.since) as reached,
        to_char(least(begun.since, known.first) at time zone 'UTC', 'YYYY-MM-DD') as begins
      from begun cross join known left join lateral (
        select row_to_json(p)::text as data from (
          select ${projection(resource, fieldsOfDay(plan), { day, window })} from ${stateRow(
            resource,
            sql`known.state || jsonb_build_object('id', ${id}::text, 'updated_at', known.since)`,
          )} where known.state is not null) p
      ) x on true
    ) page`
}

/** Reads one record at the end of the plan's day, `isAbsent` if it did not exist. Rejects with before_history. */
export const readPastItem = async (db: QueuedDb, plan: QueryPlan, id: string): Promise<Filled> => {
  const { rows } = await inTurn(db, plan.customerId, () => asOfStatement(plan, id).execute(db))
  const row = rows[0] as AsOfRow
  // Also for unknown ids: a deleted record may have left no trace.
  if (!row.reached) {
    throw new ApiError('before_history', {
      detail: `The history of this ${plan.resource.noun} begins on ${row.begins}`,
    })
  }
  return toFilled(row, row.data === null ? undefined : `{"data":${row.data}}`, row.data === null ? 0 : 1)
}
