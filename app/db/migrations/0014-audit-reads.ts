import { type Kysely, sql } from 'kysely'

/**
 * Reads that were counted and are not in the audit trail yet. Instances add to them every few seconds, so that a crash
 * loses little. Once a minute is over, its reads become entries of the trail, which are sealed. `entry` is an entry
 * without its counts. The key is the whole entry, so that all instances add to the same row.
 */
const table = `
create table audit_reads (
  minute timestamptz not null,
  entry jsonb not null,
  count bigint not null,
  rows bigint not null,
  primary key (minute, entry)
);
comment on table audit_reads is 'counted reads of the last minutes, which are not in the audit trail yet';`

/** Rows are added in the order of their key, so that two instances never wait for each other. */
const add = `
create function add_audit_reads(entries json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  insert into audit_reads as r (minute, entry, count, rows)
  select (e #>> '{details,minute}')::timestamptz, e #- '{details,count}' #- '{details,rows}',
    sum((e #>> '{details,count}')::bigint), sum((e #>> '{details,rows}')::bigint)
  from jsonb_array_elements(entries::jsonb) e
  group by 1, 2 order by 1, 2
  on conflict (minute, entry) do update set count = r.count + excluded.count, rows = r.rows + excluded.rows
$$;`

/** Rows that another instance is moving are left to it. */
const collect = `
create function collect_audit_reads(before timestamptz, most integer) returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with due as materialized (
    select minute, entry from audit_reads where minute < before
    order by minute, entry limit most for update skip locked
  ), moved as (
    delete from audit_reads r using due d where r.minute = d.minute and r.entry = d.entry
    returning r.minute, jsonb_set(
      r.entry, '{details}', r.entry -> 'details' || jsonb_build_object('count', r.count, 'rows', r.rows)
    ) as entry
  ), listed as materialized (
    select count(*) as n, coalesce(json_agg(entry order by minute, entry), '[]') as entries from moved
  ), written as materialized (select append_audit(entries) from listed)
  select n from listed, written
$$;

revoke execute on function add_audit_reads, collect_audit_reads from public;
grant execute on function add_audit_reads, collect_audit_reads to certdata_reader, certdata_operator;`

/** Creates the table of counted reads and the functions by which the roles reach it. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [table, add, collect]) await sql.raw(statement).execute(db)
}
