create table reference_data (
  name text primary key,
  digest text not null,
  loaded_at timestamptz not null default now()
);

-- Counts for the status page. No data of customers.
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
comment on table service_minutes is 'a row for each minute and running instance; slots: a bit per ten seconds';
comment on column service_minutes.buckets is 'data answers by their time: 0.1 ms * 10^(i/12), from i = 0';

grant select, insert, update, delete on reference_data to certdata_operator;
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

-- Sums buckets by subscript: unnesting the arrays takes twenty times as long.
create function read_service_minutes(since timestamptz, until timestamptz)
returns table (minute bigint, slots integer, requests bigint, failed bigint, timed bigint,
  duration_ms double precision, hits bigint, age_ms integer, buckets bigint[])
language sql stable security definer set search_path = public, pg_temp as $$
  select extract(epoch from minute)::bigint / 60, bit_or(slots)::integer, sum(requests)::bigint as requests,
    sum(failed)::bigint as failed, sum(timed)::bigint as timed,
    sum(duration_ms) as duration_ms, sum(hits)::bigint as hits, max(age_ms) as age_ms,
      array[coalesce(sum(buckets[1]), 0), coalesce(sum(buckets[2]), 0), coalesce(sum(buckets[3]), 0),
      coalesce(sum(buckets[4]), 0), coalesce(sum(buckets[5]), 0), coalesce(sum(buckets[6]), 0),
      coalesce(sum(buckets[7]), 0), coalesce(sum(buckets[8]), 0), coalesce(sum(buckets[9]), 0),
      coalesce(sum(buckets[10]), 0), coalesce(sum(buckets[11]), 0), coalesce(sum(buckets[12]), 0),
      coalesce(sum(buckets[13]), 0), coalesce(sum(buckets[14]), 0), coalesce(sum(buckets[15]), 0),
      coalesce(sum(buckets[16]), 0), coalesce(sum(buckets[17]), 0), coalesce(sum(buckets[18]), 0),
      coalesce(sum(buckets[19]), 0), coalesce(sum(buckets[20]), 0), coalesce(sum(buckets[21]), 0),
      coalesce(sum(buckets[22]), 0), coalesce(sum(buckets[23]), 0), coalesce(sum(buckets[24]), 0),
      coalesce(sum(buckets[25]), 0), coalesce(sum(buckets[26]), 0), coalesce(sum(buckets[27]), 0),
      coalesce(sum(buckets[28]), 0), coalesce(sum(buckets[29]), 0), coalesce(sum(buckets[30]), 0),
      coalesce(sum(buckets[31]), 0), coalesce(sum(buckets[32]), 0), coalesce(sum(buckets[33]), 0),
      coalesce(sum(buckets[34]), 0), coalesce(sum(buckets[35]), 0), coalesce(sum(buckets[36]), 0),
      coalesce(sum(buckets[37]), 0), coalesce(sum(buckets[38]), 0), coalesce(sum(buckets[39]), 0),
      coalesce(sum(buckets[40]), 0), coalesce(sum(buckets[41]), 0), coalesce(sum(buckets[42]), 0),
      coalesce(sum(buckets[43]), 0), coalesce(sum(buckets[44]), 0), coalesce(sum(buckets[45]), 0),
      coalesce(sum(buckets[46]), 0), coalesce(sum(buckets[47]), 0), coalesce(sum(buckets[48]), 0),
      coalesce(sum(buckets[49]), 0), coalesce(sum(buckets[50]), 0), coalesce(sum(buckets[51]), 0),
      coalesce(sum(buckets[52]), 0), coalesce(sum(buckets[53]), 0), coalesce(sum(buckets[54]), 0),
      coalesce(sum(buckets[55]), 0), coalesce(sum(buckets[56]), 0), coalesce(sum(buckets[57]), 0),
      coalesce(sum(buckets[58]), 0), coalesce(sum(buckets[59]), 0), coalesce(sum(buckets[60]), 0),
      coalesce(sum(buckets[61]), 0), coalesce(sum(buckets[62]), 0), coalesce(sum(buckets[63]), 0),
      coalesce(sum(buckets[64]), 0), coalesce(sum(buckets[65]), 0), coalesce(sum(buckets[66]), 0),
      coalesce(sum(buckets[67]), 0), coalesce(sum(buckets[68]), 0), coalesce(sum(buckets[69]), 0),
      coalesce(sum(buckets[70]), 0), coalesce(sum(buckets[71]), 0), coalesce(sum(buckets[72]), 0),
      coalesce(sum(buckets[73]), 0)]::bigint[]
  from service_minutes where minute >= since and minute < until group by minute order by minute
$$;

-- Days (UTC), with their minutes as lists.
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
    select (minute at time zone 'UTC')::date as day, sum(requests)::bigint as requests, sum(failed)::bigint as
      failed, sum(timed)::bigint as timed,
    sum(duration_ms) as duration_ms, sum(hits)::bigint as hits, max(age_ms) as age_ms,
      array[coalesce(sum(buckets[1]), 0), coalesce(sum(buckets[2]), 0), coalesce(sum(buckets[3]), 0),
      coalesce(sum(buckets[4]), 0), coalesce(sum(buckets[5]), 0), coalesce(sum(buckets[6]), 0),
      coalesce(sum(buckets[7]), 0), coalesce(sum(buckets[8]), 0), coalesce(sum(buckets[9]), 0),
      coalesce(sum(buckets[10]), 0), coalesce(sum(buckets[11]), 0), coalesce(sum(buckets[12]), 0),
      coalesce(sum(buckets[13]), 0), coalesce(sum(buckets[14]), 0), coalesce(sum(buckets[15]), 0),
      coalesce(sum(buckets[16]), 0), coalesce(sum(buckets[17]), 0), coalesce(sum(buckets[18]), 0),
      coalesce(sum(buckets[19]), 0), coalesce(sum(buckets[20]), 0), coalesce(sum(buckets[21]), 0),
      coalesce(sum(buckets[22]), 0), coalesce(sum(buckets[23]), 0), coalesce(sum(buckets[24]), 0),
      coalesce(sum(buckets[25]), 0), coalesce(sum(buckets[26]), 0), coalesce(sum(buckets[27]), 0),
      coalesce(sum(buckets[28]), 0), coalesce(sum(buckets[29]), 0), coalesce(sum(buckets[30]), 0),
      coalesce(sum(buckets[31]), 0), coalesce(sum(buckets[32]), 0), coalesce(sum(buckets[33]), 0),
      coalesce(sum(buckets[34]), 0), coalesce(sum(buckets[35]), 0), coalesce(sum(buckets[36]), 0),
      coalesce(sum(buckets[37]), 0), coalesce(sum(buckets[38]), 0), coalesce(sum(buckets[39]), 0),
      coalesce(sum(buckets[40]), 0), coalesce(sum(buckets[41]), 0), coalesce(sum(buckets[42]), 0),
      coalesce(sum(buckets[43]), 0), coalesce(sum(buckets[44]), 0), coalesce(sum(buckets[45]), 0),
      coalesce(sum(buckets[46]), 0), coalesce(sum(buckets[47]), 0), coalesce(sum(buckets[48]), 0),
      coalesce(sum(buckets[49]), 0), coalesce(sum(buckets[50]), 0), coalesce(sum(buckets[51]), 0),
      coalesce(sum(buckets[52]), 0), coalesce(sum(buckets[53]), 0), coalesce(sum(buckets[54]), 0),
      coalesce(sum(buckets[55]), 0), coalesce(sum(buckets[56]), 0), coalesce(sum(buckets[57]), 0),
      coalesce(sum(buckets[58]), 0), coalesce(sum(buckets[59]), 0), coalesce(sum(buckets[60]), 0),
      coalesce(sum(buckets[61]), 0), coalesce(sum(buckets[62]), 0), coalesce(sum(buckets[63]), 0),
      coalesce(sum(buckets[64]), 0), coalesce(sum(buckets[65]), 0), coalesce(sum(buckets[66]), 0),
      coalesce(sum(buckets[67]), 0), coalesce(sum(buckets[68]), 0), coalesce(sum(buckets[69]), 0),
      coalesce(sum(buckets[70]), 0), coalesce(sum(buckets[71]), 0), coalesce(sum(buckets[72]), 0),
      coalesce(sum(buckets[73]), 0)]::bigint[] as buckets
    from service_minutes
    where minute >= since::timestamp at time zone 'UTC' and minute < until::timestamp at time zone 'UTC'
    group by 1
  )
  select day, l.minutes, l.slots, l.requests_by, l.failed_by, t.requests, t.failed, t.timed, t.duration_ms,
    t.hits, t.age_ms, t.buckets
  from lists l join totals t using (day) order by day
$$;

create function first_service_minute() returns bigint
language sql stable security definer set search_path = public, pg_temp as $$
  select extract(epoch from min(minute))::bigint / 60 from service_minutes
$$;

revoke execute on function report_service_minutes, prune_service_minutes, read_service_minutes, read_service_days,
  first_service_minute from public;
grant execute on function report_service_minutes, prune_service_minutes, read_service_minutes, read_service_days,
  first_service_minute to certdata_reader;
