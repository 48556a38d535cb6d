-- The part of the audit trail that customers read. `entry` has the text that was hashed. A copy without `root_no` waits
-- for the root of its minute.
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
comment on table audit_copies is 'audit entries for their customers, with proofs';
create index audit_copies_at on audit_copies (customer_id, at);
create index audit_copies_action on audit_copies (customer_id, action, outcome, number);
create index audit_copies_key on audit_copies (customer_id, key_id, action, outcome, number)
  where key_id is not null;

grant select on audit_numbers, audit_copies to certdata_operator;
grant select on audit_copies to certdata_reader;

-- RFC 8785 for the values in entries: objects with plain names, texts and whole numbers.
create function audit_canonical(value json) returns text
language plpgsql immutable strict parallel safe set search_path = public, pg_temp as $$
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
$$;

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
    sha256('\x00'::bytea || coalesce(w.salt || convert_to(w.text, 'UTF8'), uuid_send(gen_random_uuid())))
  from written w order by w.entry_id
$$;

create function append_audit_seals(seals json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  with given as materialized (
    select * from json_to_recordset(seals) as s (
      seal_no bigint, entry_id bigint, commitment text, mac text, number bigint, leaf text)
  ), done as (
    delete from audit_pending q using given g where q.entry_id = g.entry_id
  )
  insert into audit_seals (seal_no, entry_id, commitment, mac, number, leaf)
  select seal_no, entry_id, decode(commitment, 'hex'), decode(mac, 'hex'), number, decode(leaf, 'hex') from given
$$;

grant execute on function audit_head, list_unsealed_audit, prepare_audit_seals, append_audit_seals to certdata_reader;
