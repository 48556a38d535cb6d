import { type Kysely, sql } from 'kysely'

/** Rows of history at which the oldest of an example record are forgotten, and how many stay. */
const [most, kept] = [90, 50]

const ofRecord = `h.customer_id = 'demo' and h.resource = kind and h.record_id = record`

/**
 * Demo changes and the daily renewal of the example data go on for ever. Ten below the promised 100 rows, because two calls at
 * the same time each look before the other one writes. The oldest row that stays becomes a mark, as where an operator
 * forgets history: so `history_from` says where the record's history begins.
 */
const trim = `
create function trim_demo_history(kind text, record text) returns void
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  oldest bigint;
begin
  perform from record_history h where ${ofRecord} order by h.position desc offset ${most} limit 1;
  if not found then return; end if;
  oldest := (select h.position from record_history h where ${ofRecord} order by h.position desc offset ${kept - 1} limit 1);
  delete from record_history h where ${ofRecord} and h.position < oldest;
  update record_history h set old = '{}' where ${ofRecord} and h.position = oldest;
  insert into change_log (customer_id, resource, record_id) values ('demo', 'history', record);
end $$;
revoke execute on function trim_demo_history from public;
grant execute on function trim_demo_history to certdata_operator;`

/**
 * As in 0016, but that calls take turns and trim history first. Without turns, a call that waited for a row took the record
 * that another call had just changed. A call adds at most two rows to a record's history.
 */
const change = `
create or replace function change_demo_record(change boolean)
returns table (id text, status text, until timestamptz)
language sql volatile security definer set search_path = public, pg_temp as $$
  select pg_advisory_xact_lock(hashtextextended('certdata demo changes', 0));
  select trim_demo_history('approvals', d.id) from demo_changes d;

  with due as materialized (
    select d.id, d.original from demo_changes d where d.until <= now() order by d.id for update skip locked
  ), undone as (
    update approvals a set status = due.original from due where a.customer_id = 'demo' and a.id = due.id
  )
  update demo_changes d set original = null, until = null from due where d.id = due.id;

  with chosen as materialized (
    select d.id, d.original, a.status from demo_changes d
    join approvals a on a.customer_id = 'demo' and a.id = d.id
    where change order by d.until nulls first, d.id limit 1 for update of d skip locked
  ), next as materialized (
    select c.id, case when c.original is null then c.status end as original,
      case when c.original is null then now() + interval '1 minute' end as until,
      coalesce(c.original, case c.status when 'preparing' then 'testing' when 'testing' then 'submitted'
      when 'submitted' then 'in_review' when 'in_review' then 'information_requested' else 'in_review' end) as status
    from chosen c
  ), noted as (
    update demo_changes d set original = n.original, until = n.until from next n where d.id = n.id
  )
  update approvals a set status = n.status from next n where a.customer_id = 'demo' and a.id = n.id
  returning a.id, a.status, n.until
$$;`

/** Bounds the history of example records. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [trim, change]) await sql.raw(statement).execute(db)
}
