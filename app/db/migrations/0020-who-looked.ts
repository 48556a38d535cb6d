import { type Kysely, sql } from 'kysely'

/**
 * What customers see of the audit trail. When an entry is sealed it gets a leaf: a salted hash of its text. An entry of
 * a customer also gets a number among the customer's own, and a copy of its text that the customer may read. Each
 * minute the leaves become a Merkle tree with a signed root, and the copies get their way to it. See docs/audit.md.
 */

/** A seal without a leaf was made by an earlier version: its entry is in no tree. */
const seals = `
alter table audit_seals add column number bigint, add column leaf bytea;`

/**
 * \`audit_copies\` has the text that was hashed, byte for byte, so that nothing writes it anew. A copy without
 * \`root_no\` waits for its minute.
 */
const tables = `
create table audit_numbers (
  customer_id text collate "C" primary key references customers (customer_id) on delete cascade,
  last bigint not null
);
comment on table audit_numbers is 'the newest number of each customer''s audit entries';

create table audit_copies (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  number bigint not null,
  entry_id bigint not null unique,
  at timestamptz not null,
  action text collate "C" not null,
  outcome text collate "C" not null,
  key_id text collate "C",
  salt bytea not null,
  entry json not null,
  root_no bigint,
  leaf_index integer,
  path bytea,
  primary key (customer_id, number)
);
comment on table audit_copies is 'audit entries as their customers may read them, with the proof of each';
create index audit_copies_at on audit_copies (customer_id, at);

create table audit_roots (
  root_no bigint primary key check (root_no > 0),
  at timestamptz not null,
  first_seal bigint not null,
  last_seal bigint not null,
  leaves bytea not null,
  statement text collate "C" not null,
  kid text collate "C" not null
);
comment on table audit_roots is 'signed roots of the trees over audit entries';

create table audit_root_keys (
  kid text collate "C" primary key,
  public_jwk json not null,
  mac bytea not null,
  added_at timestamptz not null default clock_timestamp()
);
comment on table audit_root_keys is 'public halves of the keys that signed roots, also after their rotation';

-- The newest root, which outlives its pruning: numbers go on, and roots stay linked.
create table audit_root_head (
  only_one boolean primary key default true check (only_one),
  root_no bigint not null,
  last_seal bigint not null,
  digest bytea
);
insert into audit_root_head (root_no, last_seal) select 0, coalesce(
  (select max(seal_no) from audit_seals), (select max(seal_no) from audit_anchor), 0);

alter table audit_numbers enable row level security;
alter table audit_numbers force row level security;
create policy operator on audit_numbers for all to certdata_operator using (true) with check (true);
alter table audit_copies enable row level security;
alter table audit_copies force row level security;
create policy operator on audit_copies for all to certdata_operator using (true) with check (true);
create policy reader on audit_copies for select to certdata_reader
  using (customer_id = nullif(current_setting('app.customer_id', true), ''));
grant select on audit_numbers, audit_copies, audit_roots, audit_root_keys, audit_root_head to certdata_operator;
grant select on audit_copies to certdata_reader;
grant select (root_no, at, statement, kid) on audit_roots to certdata_reader;
grant select (kid, public_jwk) on audit_root_keys to certdata_reader;`

/** RFC 8785 for what entries hold: objects with plain names, texts and whole numbers, which PostgreSQL writes alike. */
const canonical = `
create function audit_canonical(value json) returns text
language plpgsql immutable strict parallel safe as $$
begin
  if json_typeof(value) = 'object' then
    return '{' || coalesce((select string_agg(to_json(e.key)::text || ':' || case
        when json_typeof(e.value) in ('object', 'array') then audit_canonical(e.value) else e.value::text end,
        ',' order by e.key collate "C") from json_each(value) e), '') || '}';
  elsif json_typeof(value) = 'array' then
    return '[' || coalesce((select string_agg(audit_canonical(a.value), ',' order by a.place)
      from json_array_elements(value) with ordinality as a (value, place)), '') || ']';
  end if;
  return trim(value::text);
end $$;

create function audit_text(at timestamptz, actor text, action text, outcome text, request_id text, personal json,
  number bigint) returns text language sql stable parallel safe set search_path = public, pg_temp as $$
  select audit_canonical(json_build_object(
    'action', action, 'actor', actor,
    'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'client', personal -> 'client', 'customer', personal -> 'customer', 'details', personal -> 'details',
    'key', personal -> 'key', 'number', number, 'outcome', outcome, 'request_id', request_id,
    'subject', personal -> 'subject'))
$$;`

/**
 * Numbers and copies what is about to be sealed, under the sealer's lock, and returns it. Who seals gets salted hashes
 * of the personal part. A customer under erasure is left out, so that sealing never waits for an erasure. The
 * reference tells a customer from an earlier one of the same name. An entry without its personal part gets a leaf that
 * says nothing.
 */
const prepare = `
create function prepare_audit_seals(most integer) returns table (entry_id bigint, at text, actor text,
  customer_ref uuid, action text, outcome text, request_id text, personal_sha256 bytea, number bigint, leaf bytea)
language sql volatile security definer set search_path = public, pg_temp as $$
  with due as materialized (
    select e.*, p.salt, p.personal, p.customer from audit_pending q
    join audit_entries e on e.entry_id = q.entry_id
    left join audit_persons p on p.entry_id = q.entry_id
    order by q.entry_id limit most
  ), known as materialized (
    select c.customer_id, c.audit_ref from customers c
    where c.customer_id in (select d.customer from due d) for key share skip locked
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
$$;

create or replace function append_audit_seals(seals json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  with given as materialized (
    select * from json_to_recordset(seals) as s (
      seal_no bigint, entry_id bigint, commitment text, mac text, number bigint, leaf text)
  ), done as (
    delete from audit_pending q using given g where q.entry_id = g.entry_id
  )
  insert into audit_seals (seal_no, entry_id, commitment, mac, number, leaf)
  select seal_no, entry_id, decode(commitment, 'hex'), decode(mac, 'hex'), number, decode(leaf, 'hex') from given
$$;`

/**
 * A root is due for what was sealed before the last second 20 of a minute. Reads of a minute become entries at its
 * second 70 to 75, so that they are in a root ten seconds later.
 */
const rooting = `
create function audit_root_cut(at timestamptz) returns timestamptz
language sql stable parallel safe as $$
  select date_trunc('minute', at - interval '20 seconds') + interval '20 seconds'
$$;

create function audit_root_state() returns table (root_no bigint, last_seal bigint, digest bytea, is_due boolean)
language sql stable security definer set search_path = public, pg_temp as $$
  select h.root_no, h.last_seal, h.digest, exists (
    select from audit_seals s where s.seal_no > h.last_seal and s.leaf is not null
      and s.sealed_at < audit_root_cut(clock_timestamp()))
  from audit_root_head h
$$;

create function list_unrooted_audit(takes_all boolean, most integer)
returns table (seal_no bigint, entry_id bigint, leaf bytea, mac bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.seal_no, s.entry_id, s.leaf, s.mac from audit_root_head h
  join audit_seals s on s.seal_no > h.last_seal
  where s.leaf is not null and (takes_all or s.sealed_at < audit_root_cut(clock_timestamp()))
  order by s.seal_no limit most
$$;

create function append_audit_root(root json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  with given as materialized (
    select * from json_to_record(root) as r (root_no bigint, at timestamptz, first_seal bigint, last_seal bigint,
      leaves text, statement text, kid text, public_jwk json, key_mac text)
  ), key as (
    insert into audit_root_keys (kid, public_jwk, mac)
    select kid, public_jwk, decode(key_mac, 'base64') from given on conflict do nothing
  ), head as (
    update audit_root_head h set root_no = g.root_no, last_seal = g.last_seal,
      digest = sha256(convert_to(g.statement, 'UTF8')) from given g
  )
  insert into audit_roots (root_no, at, first_seal, last_seal, leaves, statement, kid)
  select root_no, at, first_seal, last_seal, decode(leaves, 'base64'), statement, kid from given
$$;

create function place_audit_copies(root bigint, places json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  update audit_copies c set root_no = root, leaf_index = p.leaf_index, path = decode(p.path, 'base64')
  from json_to_recordset(places) as p (entry_id bigint, leaf_index integer, path text)
  where c.entry_id = p.entry_id
$$;

revoke execute on function audit_canonical, audit_text, audit_root_cut, prepare_audit_seals, audit_root_state,
  list_unrooted_audit, append_audit_root, place_audit_copies from public;
grant execute on function prepare_audit_seals, audit_root_state, list_unrooted_audit, append_audit_root,
  place_audit_copies to certdata_reader;`

/** Creates what shows customers their part of the audit trail. What was sealed before is not shown. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [seals, tables, canonical, prepare, rooting]) await sql.raw(statement).execute(db)
}
