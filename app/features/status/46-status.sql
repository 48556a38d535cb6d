-- For the status page. Contains no data of customers.
create table service_minutes (
  minute timestamptz not null check (minute = date_trunc('minute', minute)),
  instance text collate "C" not null check (octet_length(instance) between 1 and 64),
  slots smallint not null check (slots between 0 and 63),
  requests integer not null check (requests >= 0),
  failed integer not null check (failed between 0 and requests),
  timed integer not null check (timed >= 0),
  duration_ms double precision not null check (duration_ms >= 0),
  hits integer not null check (hits between 0 and timed),
  age_ms integer check (age_ms >= 0),
  buckets integer[] not null check (cardinality(buckets) <= 73),
  primary key (minute, instance)
);
comment on table service_minutes is 'a row for each minute and running instance; slots: a bit for each ten seconds';
comment on column service_minutes.buckets is 'number of data answers by duration: 0.1 ms * 10^(i/12), from i = 0';

create table service_notes (
  id bigint generated always as identity primary key,
  starts_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > starts_at),
  text text not null check (char_length(text) between 1 and 500),
  created_at timestamptz not null default now()
);
comment on table service_notes is 'announced maintenance, shown on the status page';

grant select, insert, delete on service_notes to certdata_operator;

-- The newest 50, because every process keeps them in memory.
create function read_service_notes(since timestamptz)
returns table (starts_at timestamptz, ends_at timestamptz, note text)
language sql stable security definer set search_path = public, pg_temp as $$
  select starts_at, ends_at, text from service_notes where ends_at > since order by starts_at desc, id desc limit 50
$$;

grant select on service_minutes to certdata_operator;

create function report_service_minutes(minutes json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  insert into service_minutes
    (minute, instance, slots, requests, failed, timed, duration_ms, hits, age_ms, buckets)
  select to_timestamp(minute * 60), instance, slots, requests, failed, timed, duration_ms, hits, age_ms, buckets
  from json_to_recordset(minutes) as m (minute bigint, instance text, slots smallint, requests integer,
    failed integer, timed integer, duration_ms double precision, hits integer, age_ms integer,
    buckets integer[])
  where to_timestamp(minute * 60) between now() - interval '2 days' and now() + interval '2 minutes'
  on conflict (minute, instance) do update set slots = excluded.slots, requests = excluded.requests,
    failed = excluded.failed, timed = excluded.timed, duration_ms = excluded.duration_ms,
    hits = excluded.hits, age_ms = excluded.age_ms, buckets = excluded.buckets
$$;

create function prune_service_minutes(kept_days integer) returns bigint
language sql volatile security definer set search_path = public, pg_temp as $$
  with gone as (
    delete from service_minutes where minute < now() - make_interval(days => greatest(kept_days, 91)) returning 1
  ) select count(*) from gone
$$;

-- Sums buckets by subscript, because unnesting the arrays takes twenty times as long. Days are in UTC.
do $setup$
declare
  sums text := 'sum(requests)::bigint as requests, sum(failed)::bigint as failed, sum(timed)::bigint as timed,
    sum(duration_ms) as duration_ms, sum(hits)::bigint as hits, max(age_ms) as age_ms, array['
    || (select string_agg(format('coalesce(sum(buckets[%s]), 0)', i), ', ' order by i) from generate_series(1, 73) i)
    || ']::bigint[] as buckets';
begin
  execute replace($template$
create function read_service_minutes(since timestamptz, until timestamptz)
returns table (minute bigint, slots integer, requests bigint, failed bigint, timed bigint,
  duration_ms double precision, hits bigint, age_ms integer, buckets bigint[])
language sql stable security definer set search_path = public, pg_temp as $$
  select extract(epoch from minute)::bigint / 60, bit_or(slots)::integer, {sums}
  from service_minutes where minute >= since and minute < until group by minute order by minute
$$;

create function read_service_days(since date, until date)
returns table (day date, minutes integer[], slots integer[], requests_by integer[], failed_by integer[],
  requests bigint, failed bigint, timed bigint, duration_ms double precision, hits bigint, age_ms integer,
  buckets bigint[])
language sql stable security definer set search_path = public, pg_temp as $$
  with by_minute as (
    select (minute at time zone 'UTC')::date as day,
      extract(epoch from minute at time zone 'UTC' - date_trunc('day', minute at time zone 'UTC'))::integer / 60 as n,
      bit_or(slots)::integer as slots, sum(requests)::integer as requests, sum(failed)::integer as failed
    from service_minutes
    where minute >= since::timestamp at time zone 'UTC' and minute < until::timestamp at time zone 'UTC'
    group by minute
  ), lists as (
    select day, array_agg(n order by n) as minutes, array_agg(slots order by n) as slots,
      array_agg(requests order by n) as requests_by, array_agg(failed order by n) as failed_by
    from by_minute group by day
  ), totals as (
    select (minute at time zone 'UTC')::date as day, {sums}
    from service_minutes
    where minute >= since::timestamp at time zone 'UTC' and minute < until::timestamp at time zone 'UTC'
    group by 1
  )
  select day, l.minutes, l.slots, l.requests_by, l.failed_by, t.requests, t.failed, t.timed, t.duration_ms,
    t.hits, t.age_ms, t.buckets
  from lists l join totals t using (day) order by day
$$;$template$, '{sums}', sums);
end $setup$;

create function first_service_minute() returns bigint
language sql stable security definer set search_path = public, pg_temp as $$
  select extract(epoch from min(minute))::bigint / 60 from service_minutes
$$;

grant execute on function report_service_minutes, prune_service_minutes, read_service_minutes, read_service_days,
  first_service_minute, read_service_notes to certdata_reader;
