-- The part of the audit trail that customers read. An entry is copied in the transaction that seals it.
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
  entry json not null,
  primary key (customer_id, number)
);
comment on table audit_copies is 'sealed audit entries for their customers';
create index audit_copies_at on audit_copies (customer_id, at);
create index audit_copies_action on audit_copies (customer_id, action, outcome, number);
create index audit_copies_key on audit_copies (customer_id, key_id, action, outcome, number)
  where key_id is not null;

grant select on audit_numbers, audit_copies to certdata_operator;
grant select on audit_copies to certdata_reader;

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

-- Numbers and copies the entries to be sealed next. Skips entries of a locked customer, whose erasure may be rolled back.
-- `audit_ref` distinguishes a customer from an erased one with the same id.
create function prepare_audit_seals(most integer) returns table (entry_id bigint, at text, actor text,
  customer_ref uuid, action text, outcome text, request_id text, personal_sha256 bytea, number bigint)
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
  ), copied as (
    insert into audit_copies (customer_id, number, entry_id, at, action, outcome, key_id, entry)
    select n.customer_id, n.number, n.entry_id, n.at, n.action, n.outcome, n.personal ->> 'key', row_to_json(shown)
    from numbered n
    cross join lateral (
      select n.action, n.actor, to_char(n.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
        n.personal -> 'client' as client, n.personal -> 'customer' as customer, n.personal -> 'details' as details,
        n.personal -> 'key' as key, n.number, n.outcome, n.request_id, n.personal -> 'subject' as subject
    ) shown
    where n.customer_id is not null
  )
  select n.entry_id, to_char(n.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), n.actor, n.customer_ref,
    n.action, n.outcome, n.request_id, sha256(n.salt || convert_to(n.personal::text, 'UTF8')), n.number
  from numbered n order by n.entry_id
$$;

create function append_audit_seals(seals json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  with given as materialized (
    select * from json_to_recordset(seals) as s (
      seal_no bigint, entry_id bigint, commitment text, mac text, number bigint)
  ), done as (
    delete from audit_pending q using given g where q.entry_id = g.entry_id
  )
  insert into audit_seals (seal_no, entry_id, commitment, mac, number)
  select seal_no, entry_id, decode(commitment, 'hex'), decode(mac, 'hex'), number from given
$$;

grant execute on function audit_head, list_unsealed_audit, prepare_audit_seals, append_audit_seals to certdata_reader;
