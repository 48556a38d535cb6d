create table access_requests (
  request_id text collate "C" primary key check (request_id ~ '^[a-z0-9]{16}$'),
  company text not null,
  name text not null,
  email text not null,
  message text not null,
  created_at timestamptz not null default now(),
  due_at timestamptz not null,
  rejected_at timestamptz,
  reason text
);
comment on table access_requests is 'open and rejected requests; their senders have given consent';

-- A customer's export and erasure find these rows by customer_id.
create table approved_requests (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  request_id text collate "C" not null,
  company text not null,
  name text not null,
  email text not null,
  message text not null,
  created_at timestamptz not null,
  due_at timestamptz not null,
  approved_at timestamptz not null default now(),
  primary key (customer_id, request_id)
);

grant select, insert, update, delete on access_requests, approved_requests to certdata_operator;

create function add_access_request(text, text, text, text, text, timestamptz) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  insert into access_requests (request_id, company, name, email, message, due_at)
  values ($1, $2, $3, $4, $5, $6)
$$;

create function delete_old_access_requests(kept_days integer) returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with undecided_or_rejected as (
    delete from access_requests
    where coalesce(rejected_at, created_at) < now() - make_interval(days => greatest(kept_days, 1))
    returning 1
  ), approved as (
    delete from approved_requests
    where approved_at < now() - make_interval(days => greatest(kept_days, 1))
    returning 1
  )
  select (select count(*) from undecided_or_rejected) + (select count(*) from approved)
$$;

create function count_overdue_access_requests() returns bigint
language sql stable security definer set search_path = public, pg_temp as $$
  select count(*) from access_requests where rejected_at is null and due_at < now()
$$;

grant execute on function add_access_request, delete_old_access_requests, count_overdue_access_requests to
  certdata_reader;
grant execute on function delete_old_access_requests, count_overdue_access_requests to certdata_operator;
