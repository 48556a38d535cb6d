import { type Kysely, sql } from 'kysely'

/**
 * Numbers and copies what is about to be sealed, as before. Entries of a customer that is locked wait until the lock is
 * gone: an erasure that is rolled back would otherwise leave entries without a number, which the customer never sees.
 * Entries of other customers do not wait: of the oldest ten batches, the oldest that are free are taken.
 */
const prepare = `
create or replace function prepare_audit_seals(most integer) returns table (entry_id bigint, at text, actor text,
  customer_ref uuid, action text, outcome text, request_id text, personal_sha256 bytea, number bigint, leaf bytea)
language sql volatile security definer set search_path = public, pg_temp as $$
  with oldest as materialized (
    select q.entry_id, p.customer, c.customer_id is not null as is_there from audit_pending q
    left join audit_persons p on p.entry_id = q.entry_id
    left join customers c on c.customer_id = p.customer
    order by q.entry_id limit 10 * most
  ), known as materialized (
    select c.customer_id, c.audit_ref from customers c
    where c.customer_id in (select o.customer from oldest o) for key share skip locked
  ), due as materialized (
    select e.*, p.salt, p.personal, p.customer from oldest o
    join audit_entries e on e.entry_id = o.entry_id
    left join audit_persons p on p.entry_id = o.entry_id
    where not o.is_there or o.customer in (select k.customer_id from known k)
    order by o.entry_id limit most
  ), counted as (
    insert into audit_numbers as n (customer_id, last)
    select k.customer_id, count(*) from due d
    join known k on k.customer_id = d.customer and k.audit_ref = d.customer_ref
    group by 1 order by 1
    on conflict (customer_id) do update set last = n.last + excluded.last
    returning n.customer_id, n.last
  ), numbered as (
    select d.*, c.customer_id, c.last - count(*) over customers
      + row_number() over (partition by c.customer_id order by d.entry_id) as number
    from due d
    left join known k on k.customer_id = d.customer and k.audit_ref = d.customer_ref
    left join counted c on c.customer_id = k.customer_id
    window customers as (partition by c.customer_id)
  ), written as materialized (
    select n.*, audit_text(n.at, n.actor, n.action, n.outcome, n.request_id, n.personal, n.number) as text
    from numbered n
  ), copied as (
    insert into audit_copies (customer_id, number, entry_id, at, action, outcome, key_id, salt, entry)
    select w.customer_id, w.number, w.entry_id, w.at, w.action, w.outcome, w.personal ->> 'key', w.salt, w.text::json
    from written w where w.customer_id is not null
  )
  select w.entry_id, to_char(w.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), w.actor, w.customer_ref,
    w.action, w.outcome, w.request_id, sha256(w.salt || convert_to(w.personal::text, 'UTF8')), w.number,
    sha256('\\x00'::bytea || coalesce(w.salt || convert_to(w.text, 'UTF8'), uuid_send(gen_random_uuid())))
  from written w order by w.entry_id
$$;`

/**
 * Counted reads become entries, as before. Rows of a customer that is locked are left for later, so that an erasure does
 * not hold up the reads of others.
 */
const collect = `
create or replace function collect_audit_reads(before timestamptz, most integer) returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with oldest as materialized (
    select minute, entry from audit_reads where minute < before
    order by minute, entry limit most for update skip locked
  ), named as materialized (
    select o.*, c.customer_id from oldest o
    left join api_keys k on o.entry ->> 'customer' is null and k.key_id = o.entry ->> 'key_id'
    left join customers c on c.customer_id = coalesce(o.entry ->> 'customer', k.customer_id)
  ), free as materialized (
    select c.customer_id from customers c
    where c.customer_id in (select n.customer_id from named n) for key share skip locked
  ), moved as (
    delete from audit_reads r using named n
    where r.minute = n.minute and r.entry = n.entry
      and (n.customer_id is null or n.customer_id in (select f.customer_id from free f))
    returning r.minute, jsonb_set(
      r.entry, '{details}', r.entry -> 'details' || jsonb_build_object('count', r.count, 'rows', r.rows)
    ) as entry
  ), listed as materialized (
    select count(*) as n, coalesce(json_agg(entry order by minute, entry), '[]') as entries from moved
  ), written as materialized (select append_audit(entries) from listed)
  select n from listed, written
$$;`

/** Lets the sealer pass by customers whose erasure is under way. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [prepare, collect]) await sql.raw(statement).execute(db)
}
