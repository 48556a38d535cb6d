create table webhooks (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  webhook_id text collate "C" not null check (webhook_id ~ '^wh_[a-z0-9]{16}$'),
  url text not null,
  resources text[] not null check (cardinality(resources) > 0),
  state text not null default 'active' check (state in ('active', 'disabled')),
  -- Only if disabled.
  reason text check (reason in ('operator', 'gone', 'failing')),
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  -- The sync token of the last delivered message, its oldest running transaction, its day and its database.
  token text not null,
  since xid8 not null,
  day date not null,
  identity text not null,
  -- The message in progress, and the sync token after it.
  message_id text,
  message_at timestamptz,
  message_resources text[],
  message_after text,
  next_token text,
  next_since xid8,
  next_day date,
  next_identity text,
  attempts integer not null default 0,
  failing_since timestamptz,
  next_attempt_at timestamptz,
  last_result text,
  delivered_at timestamptz,
  -- The instance that sends, and the end of its lease.
  holder uuid,
  held_until timestamptz,
  primary key (customer_id, webhook_id)
);
comment on table webhooks is 'receivers of messages about changes, and the progress of each';
create unique index webhooks_id on webhooks (webhook_id);

grant select, insert, update, delete on webhooks to certdata_operator;

-- Customers see their own webhooks.
create policy reader on webhooks for select to certdata_reader
  using (customer_id = nullif(current_setting('app.customer_id', true), ''));
grant select (customer_id, webhook_id, url, resources, state, reason, created_at, failing_since, next_attempt_at,
  last_result, delivered_at) on webhooks to certdata_reader;

create table webhook_deliveries (
  customer_id text collate "C" not null,
  webhook_id text collate "C" not null,
  attempt_id bigint generated always as identity,
  at timestamptz not null,
  message_id text not null,
  -- A status, or an error.
  result text not null,
  primary key (customer_id, webhook_id, attempt_id),
  foreign key (customer_id, webhook_id) references webhooks on delete cascade
);
comment on table webhook_deliveries is 'the last 20 attempts for each webhook';

grant select, delete on webhook_deliveries to certdata_operator;
create policy reader on webhook_deliveries for select to certdata_reader
  using (customer_id = nullif(current_setting('app.customer_id', true), ''));
grant select on webhook_deliveries to certdata_reader;

create function log_webhook_delivery(customer text, webhook text, delivery json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  insert into webhook_deliveries (customer_id, webhook_id, at, message_id, result)
  select $1, $2, d.at, d.message_id, d.result from json_populate_record(null::webhook_deliveries, $3) d;
  delete from webhook_deliveries where customer_id = $1 and webhook_id = $2 and attempt_id <= (
    select attempt_id from webhook_deliveries where customer_id = $1 and webhook_id = $2
    order by attempt_id desc offset 20 limit 1);
$$;

-- Leases webhooks that may have something to send: transactions below `since` were delivered. `changed`: customers, or
-- null for all. `busy`: webhooks that the holder works on. Leases and delays far ahead were written before the database's
-- clock was set back, and do not count.
create function claim_webhooks(holder uuid, at timestamptz, lease interval, changed text[], busy text[],
  most integer, with_failing boolean default true) returns setof webhooks
language sql volatile security definer set search_path = public, pg_temp as $$
  with due as materialized (
    select w.customer_id, w.webhook_id from webhooks w
    join customers c on c.customer_id = w.customer_id and c.suspended_at is null and c.plan <> 'basic'
    where w.state = 'active' and ($4 is null or w.customer_id = any($4)) and ($7 or w.failing_since is null)
      and (w.held_until is null or w.held_until <= $2 or w.held_until > $2 + interval '1 minute' or w.holder = $1)
      and w.webhook_id <> all($5)
      and (w.next_attempt_at is null or w.next_attempt_at <= $2 or w.next_attempt_at > $2 + interval '2 hours')
      and (w.message_id is not null or w.day < ($2 at time zone 'UTC')::date
        or w.identity is distinct from change_identity()
        or exists (select from change_log l where l.customer_id in (w.customer_id, '*') and l.xid >= w.since
          and l.resource = any(w.resources || array['settings', '*'])))
    order by w.next_attempt_at nulls first limit $6 for update of w skip locked
  )
  update webhooks w set holder = $1, held_until = $2 + $3 from due d
  where w.customer_id = d.customer_id and w.webhook_id = d.webhook_id returning w.*
$$;
comment on function claim_webhooks is 'with_failing: also webhooks whose last message was not accepted';

create function renew_webhooks(holder uuid, at timestamptz, lease interval, busy text[]) returns setof text
language sql volatile security definer set search_path = public, pg_temp as $$
  with mine as materialized (
    select w.webhook_id from webhooks w
    where w.holder = $1 and w.webhook_id = any($4) and w.held_until is not null for update skip locked
  ), renewed as (
    update webhooks w set held_until = $2 + $3 from mine where w.webhook_id = mine.webhook_id
  ), ended as materialized (
    select w.webhook_id from webhooks w
    where (w.held_until <= $2 or w.held_until > $2 + interval '1 minute')
      and not (w.holder = $1 and w.webhook_id = any($4)) for update skip locked
  ), freed as (
    update webhooks w set held_until = null from ended where w.webhook_id = ended.webhook_id
    returning w.customer_id, w.state
  )
  select f.customer_id from freed f where f.state = 'active'
  union
  select w.customer_id from webhooks w
  join customers c on c.customer_id = w.customer_id and c.suspended_at is null and c.plan <> 'basic'
  where w.state = 'active' and w.held_until is null and w.next_attempt_at <= $2
$$;
comment on function renew_webhooks is
  'renews leases; returns customers with webhooks that wait because their lease has ended or an attempt is due';

-- Writes columns of a webhook and, with `delivery`, the result of an attempt. Returns false if the lease was lost.
create function update_webhook(holder uuid, customer text, webhook text, changes json) returns boolean
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  update webhooks w set (state, reason, changed_at, token, since, day, identity, message_id, message_at,
    message_resources, message_after, next_token, next_since, next_day, next_identity, attempts,
    failing_since, next_attempt_at, last_result, delivered_at, held_until) = (
    select n.state, n.reason, n.changed_at, n.token, n.since, n.day, n.identity, n.message_id, n.message_at,
      n.message_resources, n.message_after, n.next_token, n.next_since, n.next_day, n.next_identity,
      n.attempts, n.failing_since, n.next_attempt_at, n.last_result, n.delivered_at, n.held_until
    from json_populate_record(w, $4) n)
  where w.customer_id = $2 and w.webhook_id = $3 and w.holder = $1 and w.state = 'active';
  if not found then
    return false;
  end if;
  if $4->'delivery' is not null then
    perform log_webhook_delivery($2, $3, $4->'delivery');
  end if;
  return true;
end $$;

create function count_webhooks() returns table (failing bigint, disabled bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select count(*) filter (where state = 'active' and failing_since is not null),
    count(*) filter (where state = 'disabled' and reason <> 'operator') from webhooks
$$;

grant execute on function log_webhook_delivery to certdata_operator;
grant execute on function claim_webhooks, renew_webhooks, update_webhook, count_webhooks to certdata_reader;
