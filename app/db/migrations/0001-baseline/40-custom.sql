create table custom_endpoints (
  name text collate "C" primary key check (name ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  to_everyone boolean not null default false
);
comment on column custom_endpoints.to_everyone is 'granted to all customers without a row in custom_grants';

create table custom_documents (
  name text collate "C" not null references custom_endpoints (name) on delete cascade,
  revision integer not null check (revision > 0),
  document text not null,
  applied_at timestamptz not null default now(),
  superseded_at timestamptz,
  primary key (name, revision)
);
comment on column custom_documents.document is 'JSON as text, because answers have its members in the same order';
create unique index custom_documents_current on custom_documents (name) where superseded_at is null;

create table custom_grants (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  name text collate "C" not null references custom_endpoints (name) on delete cascade,
  granted boolean not null,
  changed_at timestamptz not null default now(),
  primary key (customer_id, name)
);
create index custom_grants_name on custom_grants (name);

grant select, insert, update, delete on custom_endpoints, custom_documents, custom_grants to certdata_operator;

-- 31 days, because the service serves an old revision for 30 days by its own clock.
create function find_custom_endpoints(wanted text)
returns table (name text, revision integer, document text, superseded_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select d.name, d.revision, d.document, d.superseded_at
  from custom_endpoints e
  join custom_documents d on d.name = e.name
  left join custom_grants g on g.customer_id = wanted and g.name = e.name
  where coalesce(g.granted, e.to_everyone)
    and (d.superseded_at is null or d.superseded_at > now() - interval '31 days')
$$;

grant execute on function find_custom_endpoints to certdata_reader;
