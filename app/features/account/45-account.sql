-- The serving role sees the keys of the session's customer, without secrets. `own`: the key that may see its networks.
create function list_account_keys(customer text, own text, most integer)
returns table (key_id text, name text, state text, scopes text[], networks text[], created_at timestamptz,
  last_used_on date, expires_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.key_id, k.name,
    case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired'
      when k.replaced_by is not null then 'replaced' when k.replaces is not null then 'pending' else 'active' end,
    k.scopes,
    case when k.key_id = own then coalesce(k.networks::text[], array['0.0.0.0/0', '::/0']) end,
    k.created_at, k.last_used_on, k.expires_at
  from api_keys k
  where k.customer_id = customer and k.customer_id = nullif(current_setting('app.customer_id', true), '')
  order by k.created_at desc, k.key_id limit most
$$;

-- Every process adds its counts once a minute.
create table usage_days (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  day date not null,
  endpoint text collate "C" not null check (octet_length(endpoint) between 1 and 200),
  requests bigint not null check (requests > 0),
  not_modified bigint not null check (not_modified >= 0),
  refused bigint not null check (refused >= 0),
  bytes bigint not null check (bytes >= 0),
  primary key (customer_id, day, endpoint)
);
comment on table usage_days is 'requests of each customer by day and endpoint, for 31 days';
create index usage_days_day on usage_days (day);

create policy reader on usage_days for select to certdata_reader
  using (customer_id = nullif(current_setting('app.customer_id', true), ''));
grant select on usage_days to certdata_reader;
grant select, insert, delete on usage_days to certdata_operator;

-- The number of the last batch of each process: a batch that is sent twice counts once.
create table usage_writers (
  writer uuid primary key,
  batch bigint not null,
  written_at timestamptz not null default now()
);
comment on table usage_writers is 'the last batch of usage that each process has written';
create index usage_writers_written_at on usage_writers (written_at);
grant select, delete on usage_writers to certdata_operator;

-- Adds a batch, unless its writer has added it or a later one. Finds the customer by the key, because the slug of an erased customer may belong to another one. Two processes add
-- in the same order, so that they cannot wait for each other. An erasure in progress is waited for.
create function add_usage(process uuid, number bigint, counts json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  with claimed as (
    insert into usage_writers as w (writer, batch) values (process, number)
    on conflict (writer) do update set batch = excluded.batch, written_at = now() where w.batch < excluded.batch
    returning writer
  ), given as materialized (
    select k.customer_id, g.day, g.endpoint, sum(g.requests) as requests, sum(g.not_modified) as not_modified,
      sum(g.refused) as refused, sum(g.bytes) as bytes
    from json_to_recordset(counts) as g (key_id text, day date, endpoint text, requests bigint,
      not_modified bigint, refused bigint, bytes bigint)
    join api_keys k on k.key_id = g.key_id
    where exists (select from claimed)
    group by 1, 2, 3
  ), present as materialized (
    select c.customer_id from customers c
    where c.customer_id in (select g.customer_id from given g) order by c.customer_id for key share
  )
  insert into usage_days as u (customer_id, day, endpoint, requests, not_modified, refused, bytes)
  select g.* from given g join present p on p.customer_id = g.customer_id
  order by g.customer_id, g.day, g.endpoint
  on conflict (customer_id, day, endpoint) do update set requests = u.requests + excluded.requests,
    not_modified = u.not_modified + excluded.not_modified, refused = u.refused + excluded.refused,
    bytes = u.bytes + excluded.bytes
$$;

create function delete_old_usage(kept_days integer) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  delete from usage_days where day <= (now() at time zone 'UTC')::date - kept_days;
  delete from usage_writers where written_at < now() - make_interval(days => kept_days)
$$;

grant execute on function list_account_keys, add_usage, delete_old_usage to certdata_reader;
