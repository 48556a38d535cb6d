import { type Kysely, sql } from 'kysely'

/**
 * The history of all records is read by resource, and within an instant by record and position: an import makes 100,000
 * changes of one instant. The same index serves pruning, and takes the place of the one by time.
 */
const order = `
create index record_history_resource on record_history (customer_id, resource, at, record_id, position);
drop index record_history_at;`

/** As in 0018, by the new index. */
const prune = `
create or replace function prune_history(kept_days integer, most integer default 20000) returns bigint
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  before timestamptz := now() - greatest(kept_days, 1) * interval '1 day';
  gone bigint;
  hidden boolean;
begin
  update history_begun set since = before where since < before;
  hidden := found;
  delete from record_history where ctid = any (array(
    select h.ctid from (select customer_id from customers union all select '*') c
    cross join (select b.resource from history_begun b) r
    cross join lateral (
      select h.ctid from record_history h
      where h.customer_id = c.customer_id and h.resource = r.resource and h.at < before
      order by h.at limit most) h
    limit most));
  get diagnostics gone = row_count;
  if gone > 0 or hidden then
    insert into change_log (customer_id, resource, record_id) values ('*', 'history', '*');
  end if;
  return gone;
end $$;`

/** As the function of this name in 0018, which earlier releases read: but conditions on a view reach the index. */
const reference = `
create view reference_history with (security_barrier) as select * from record_history where customer_id = '*';
grant select on reference_history to certdata_reader, certdata_operator;`

/** Orders the history of all records by an index. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [order, prune, reference]) await sql.raw(statement).execute(db)
}
