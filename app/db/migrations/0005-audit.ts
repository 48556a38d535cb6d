import { type Kysely, sql } from 'kysely'

/**
 * The audit trail: entries that nobody may change, the personal part of each beside it, which an erasure may
 * take away, and the chain of seals over both. What it promises and what it cannot: docs/audit.md.
 */
const tables = `
alter table customers add column audit_ref uuid not null default gen_random_uuid();
comment on column customers.audit_ref is 'Names the customer in audit entries once he is erased';

create sequence audit_entry_ids;

create table audit_entries (
  entry_id bigint primary key,
  at timestamptz not null default clock_timestamp(),
  actor text collate "C" not null check (actor in ('key', 'demo', 'anonymous', 'operator', 'system')),
  customer_ref uuid,
  action text collate "C" not null check (action ~ '^[a-z][a-z.-]{0,63}$'),
  outcome text collate "C" not null check (outcome in ('ok', 'refused')),
  request_id text collate "C" check (octet_length(request_id) <= 64)
);
create index audit_entries_at on audit_entries (at);

-- Type json, not jsonb: it keeps the text byte for byte, and the text is what the chain commits to.
create table audit_persons (
  entry_id bigint primary key,
  salt bytea not null,
  personal json not null,
  customer text collate "C" generated always as (personal ->> 'customer') stored
);
create index audit_persons_customer on audit_persons (customer, entry_id) where customer is not null;

-- Which entries wait for a seal. By row and not by "id greater than the last": an entry of a long
-- transaction appears after younger ones were sealed.
create table audit_pending (entry_id bigint primary key);

create table audit_seals (
  seal_no bigint primary key check (seal_no > 0),
  entry_id bigint not null unique,
  commitment bytea,
  mac bytea not null,
  sealed_at timestamptz not null default clock_timestamp()
);

create table audit_anchor (
  only_one boolean primary key default true check (only_one),
  seal_no bigint not null,
  seal_mac bytea not null,
  mac bytea not null,
  anchored_at timestamptz not null default clock_timestamp()
);

grant select on audit_entries, audit_persons, audit_pending, audit_seals, audit_anchor to certdata_operator;`

/** For the owner and the function below; entries come with their pseudonym and personal part ready. */
const writeEntries = `
create function write_audit_entries(entries json) returns void
language sql volatile set search_path = public, pg_temp as $$
  with given as materialized (
    select nextval('audit_entry_ids') as entry_id, g.* from json_to_recordset(entries) as g (
      actor text, customer_ref uuid, action text, outcome text, request_id text, personal json)
  ), persons as (
    insert into audit_persons (entry_id, salt, personal)
    select entry_id, uuid_send(gen_random_uuid()), personal from given
  ), queued as (
    insert into audit_pending (entry_id) select entry_id from given
  )
  insert into audit_entries (entry_id, actor, customer_ref, action, outcome, request_id)
  select entry_id, actor, customer_ref, action, outcome, request_id from given
$$;`

/**
 * The only way in for both roles. A key without a customer finds its customer here. Whoever is named must
 * exist: what instances still hold of an erased customer is written without him. The lock makes an erasure
 * wait for entries under way, and entries that come after it find nobody.
 */
const appendEntries = `
create function append_audit(entries json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  with given as materialized (
    select g.*, coalesce(g.customer, k.customer_id) as named
    from rows from (json_to_recordset(entries) as (actor text, action text, outcome text, request_id text,
      customer text, key_id text, subject text, client text, details json)) with ordinality as g (actor,
      action, outcome, request_id, customer, key_id, subject, client, details, n)
    left join api_keys k on g.customer is null and k.key_id = g.key_id
  ), known as materialized (
    select c.customer_id, c.audit_ref from customers c
    where c.customer_id in (select named from given) for key share
  )
  select write_audit_entries(coalesce(json_agg(json_build_object(
    'actor', g.actor, 'customer_ref', c.audit_ref, 'action', g.action, 'outcome', g.outcome,
    'request_id', g.request_id,
    'personal', json_build_object(
      'customer', c.customer_id,
      'key', case when c.customer_id is not null then g.key_id end,
      'subject', case when gone then null else g.subject end,
      'client', case when gone then null else g.client end,
      'details', case when gone then null else g.details end)) order by g.n), '[]'))
  from given g left join known c on c.customer_id = g.named
  cross join lateral (select g.named is not null and c.customer_id is null) as l (gone)
$$;`

/** What the sealer needs, which runs in the serving role: of the personal part it gets a salted hash. */
const sealing = `
create function audit_head() returns table (seal_no bigint, mac bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select seal_no, mac from (
    (select s.seal_no, s.mac from audit_seals s order by s.seal_no desc limit 1)
    union all (select a.seal_no, a.seal_mac from audit_anchor a)
  ) heads order by seal_no desc limit 1
$$;

create function list_unsealed_audit(most integer) returns table (entry_id bigint, at text, actor text,
  customer_ref uuid, action text, outcome text, request_id text, personal_sha256 bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select e.entry_id, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), e.actor,
    e.customer_ref, e.action, e.outcome, e.request_id,
    sha256(p.salt || convert_to(p.personal::text, 'UTF8'))
  from audit_pending q
  join audit_entries e on e.entry_id = q.entry_id
  left join audit_persons p on p.entry_id = q.entry_id
  order by q.entry_id limit most
$$;

create function append_audit_seals(seals json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  with given as materialized (
    select * from json_to_recordset(seals) as s (seal_no bigint, entry_id bigint, commitment text, mac text)
  ), done as (
    delete from audit_pending q using given g where q.entry_id = g.entry_id
  )
  insert into audit_seals (seal_no, entry_id, commitment, mac)
  select seal_no, entry_id, decode(commitment, 'hex'), decode(mac, 'hex') from given
$$;

revoke execute on function write_audit_entries, append_audit, audit_head, list_unsealed_audit,
  append_audit_seals from public;
grant execute on function append_audit to certdata_reader, certdata_operator;
grant execute on function audit_head, list_unsealed_audit, append_audit_seals to certdata_reader;`

/** Creates the audit trail and the functions by which the roles reach it. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [tables, writeEntries, appendEntries, sealing]) {
    await sql.raw(statement).execute(db)
  }
}
