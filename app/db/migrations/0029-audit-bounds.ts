import { type Kysely, sql } from 'kysely'

/**
 * Adds counts as before, but a key has at most 100 questions of a minute in the table, whichever process counted them.
 * Further ones are added to the row of their resource and status without a question. Calls wait for each other, so that
 * none misses rows that another one is adding.
 */
const add = `
create or replace function add_audit_reads(entries json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  select pg_advisory_xact_lock(hashtextextended('certdata audit reads', 0));

  with given as (
    select (e #>> '{details,minute}')::timestamptz as minute, e #- '{details,count}' #- '{details,rows}' as entry,
      sum((e #>> '{details,count}')::bigint) as count, sum((e #>> '{details,rows}')::bigint) as rows
    from jsonb_array_elements(entries::jsonb) e group by 1, 2
  ), present as materialized (
    select r.minute, r.entry ->> 'key_id' as key_id, count(*) as n from audit_reads r
    where r.minute in (select g.minute from given g) and r.entry #>> '{details,query}' is not null
    group by 1, 2
  ), judged as (
    select g.*, g.entry #>> '{details,query}' is not null
      and not exists (select from audit_reads r where r.minute = g.minute and r.entry = g.entry) as is_new
    from given g
  ), ranked as (
    select j.*, coalesce(p.n, 0)
      + row_number() over (partition by j.minute, j.entry ->> 'key_id', j.is_new order by j.entry) as place
    from judged j
    left join present p on p.minute = j.minute and p.key_id = j.entry ->> 'key_id'
  )
  insert into audit_reads as r (minute, entry, count, rows)
  select minute, case when is_new and place > 100 then jsonb_set(entry, '{details,query}', 'null') else entry end,
    sum(count), sum(rows)
  from ranked group by 1, 2 order by 1, 2
  on conflict (minute, entry) do update set count = r.count + excluded.count, rows = r.rows + excluded.rows
$$;`

/** Bounds the entries that one key makes the service write. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql.raw(add).execute(db)
}
