create table service_origins (
  origin text collate "C" primary key check (octet_length(origin) between 1 and 2000),
  started_at timestamptz not null default now()
);
comment on table service_origins is 'the origins with which the service started, for the links that commands print';

grant select on service_origins to certdata_operator;

-- Keeps the newest 20.
create function report_service_origin(public_origin text) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  insert into service_origins (origin) values (public_origin) on conflict (origin) do update set started_at = now();
  delete from service_origins where origin in (select origin from service_origins order by started_at desc offset 20)
$$;

grant execute on function report_service_origin to certdata_reader;
