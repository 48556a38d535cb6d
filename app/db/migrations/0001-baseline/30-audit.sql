-- See docs/audit.md. An erasure deletes the personal part of an entry; the entry and its seal stay.
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

-- `personal` is json, not jsonb, because the seals are computed from its text.
create table audit_persons (
  entry_id bigint primary key,
  salt bytea not null,
  personal json not null,
  customer text collate "C" generated always as (personal ->> 'customer') stored
);
create index audit_persons_customer on audit_persons (customer, entry_id) where customer is not null;

-- Entries without a seal. A last id is not enough: an entry of a long transaction appears after later ones were sealed.
create table audit_pending (entry_id bigint primary key);

create table audit_seals (
  seal_no bigint primary key check (seal_no > 0),
  entry_id bigint not null unique,
  commitment bytea,
  mac bytea not null,
  number bigint
);

create table audit_anchor (
  only_one boolean primary key default true check (only_one),
  seal_no bigint not null,
  seal_mac bytea not null,
  mac bytea not null,
  anchored_at timestamptz not null default clock_timestamp()
);

-- Instances add counts every few seconds. After the end of a minute, its rows become entries.
create table audit_reads (
  minute timestamptz not null,
  entry jsonb not null,
  count bigint not null,
  rows bigint not null,
  primary key (minute, entry)
);
comment on table audit_reads is 'counts of reads that are not in the audit trail yet';

create sequence audit_entry_ids;

grant select on audit_entries, audit_persons, audit_pending, audit_seals, audit_anchor to certdata_operator;

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
$$;

-- See pinSession in app/db/session.ts.
create function audit_operator() returns text
language sql stable set search_path = public, pg_temp as $$
  select nullif(convert_from(decode(current_setting('app.operator', true), 'hex'), 'UTF8'), '')
$$;

-- Entries of an erased customer have no personal part. The lock makes an erasure wait for entries in progress.
create function append_audit(entries json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  with given as materialized (
    select g.*,
      coalesce(g.customer, (select k.customer_id from api_keys k where k.key_id = g.key_id)) as named
    from rows from (json_to_recordset(entries) as (actor text, action text, outcome text, request_id text,
      customer text, key_id text, subject text, client text, details json)) with ordinality as g (actor,
      action, outcome, request_id, customer, key_id, subject, client, details, n)
  ), known as materialized (
    select c.customer_id, c.audit_ref from customers c
    where c.customer_id = any (array(select g.named from given g)) for key share
  )
  select write_audit_entries(coalesce(json_agg(json_build_object(
    'actor', g.actor, 'customer_ref', c.audit_ref, 'action', g.action, 'outcome', g.outcome,
    'request_id', g.request_id,
    'personal', json_build_object(
      'customer', c.customer_id,
      'operator', case when g.actor = 'operator' then audit_operator() end,
      'key', case when c.customer_id is not null then g.key_id end,
      'subject', case when gone then null else g.subject end,
      'client', case when gone then null else g.client end,
      'details', case when gone then null else g.details end)) order by g.n), '[]'))
  from given g left join known c on c.customer_id = g.named
  cross join lateral (select g.named is not null and c.customer_id is null) as l (gone)
$$;

-- Stores at most 100 different queries of a key in a minute. Further reads are counted together, without their queries.
create function add_audit_reads(entries json) returns void
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
$$;

-- Moves rows of past minutes to the audit trail. Skips rows that another instance moves, and rows of locked customers, so
-- that an erasure does not delay other customers.
create function collect_audit_reads(before timestamptz, most integer) returns bigint
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
$$;

grant execute on function append_audit, add_audit_reads, collect_audit_reads to certdata_reader, certdata_operator;
