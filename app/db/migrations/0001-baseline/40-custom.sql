create table custom_endpoints (
  name text collate "C" primary key check (name ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  to_everyone boolean not null default false
);
comment on column custom_endpoints.to_everyone is 'granted to every customer whose own grant does not say otherwise';

create table custom_documents (
  name text collate "C" not null references custom_endpoints (name) on delete cascade,
  revision integer not null check (revision > 0),
  document text not null,
  applied_at timestamptz not null default now(),
  superseded_at timestamptz,
  primary key (name, revision)
);
comment on column custom_documents.document is 'JSON as text: the order of its members is that of the answer';
create unique index custom_documents_current on custom_documents (name) where superseded_at is null;

create table custom_grants (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  name text collate "C" not null references custom_endpoints (name) on delete cascade,
  granted boolean not null,
  changed_at timestamptz not null default now(),
  primary key (customer_id, name)
);
create index custom_grants_name on custom_grants (name);

alter table custom_grants enable row level security;
alter table custom_grants force row level security;
create policy operator on custom_grants for all to certdata_operator using (true) with check (true);

grant select, insert, update, delete on custom_endpoints, custom_documents, custom_grants to certdata_operator;

-- Documents that one customer was granted. The service serves an old revision for 30 days by its own clock, so this has
-- one day more.
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

revoke execute on function find_custom_endpoints from public;
grant execute on function find_custom_endpoints to certdata_reader;

create function custom_endpoints_log_insert() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct '*', 'custom', r.name from new_rows r;
  return null;
end $$;

create function custom_endpoints_log_update() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct '*', 'custom', r.name from (table old_rows union all table new_rows) r;
  return null;
end $$;

create function custom_endpoints_log_delete() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct '*', 'custom', r.name from old_rows r;
  return null;
end $$;

create function custom_endpoints_log_truncate() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id) values ('*', 'custom', '*');
  return null;
end $$;

create trigger custom_endpoints_log_insert after insert on custom_endpoints
  referencing new table as new_rows
  for each statement execute function custom_endpoints_log_insert();
create trigger custom_endpoints_log_update after update on custom_endpoints
  referencing old table as old_rows new table as new_rows
  for each statement execute function custom_endpoints_log_update();
create trigger custom_endpoints_log_delete after delete on custom_endpoints
  referencing old table as old_rows
  for each statement execute function custom_endpoints_log_delete();
create trigger custom_endpoints_log_truncate after truncate on custom_endpoints
  for each statement execute function custom_endpoints_log_truncate();

create function custom_documents_log_insert() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct '*', 'custom', r.name from new_rows r;
  return null;
end $$;

create function custom_documents_log_update() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct '*', 'custom', r.name from (table old_rows union all table new_rows) r;
  return null;
end $$;

create function custom_documents_log_delete() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct '*', 'custom', r.name from old_rows r;
  return null;
end $$;

create function custom_documents_log_truncate() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id) values ('*', 'custom', '*');
  return null;
end $$;

create trigger custom_documents_log_insert after insert on custom_documents
  referencing new table as new_rows
  for each statement execute function custom_documents_log_insert();
create trigger custom_documents_log_update after update on custom_documents
  referencing old table as old_rows new table as new_rows
  for each statement execute function custom_documents_log_update();
create trigger custom_documents_log_delete after delete on custom_documents
  referencing old table as old_rows
  for each statement execute function custom_documents_log_delete();
create trigger custom_documents_log_truncate after truncate on custom_documents
  for each statement execute function custom_documents_log_truncate();

create function custom_grants_log_insert() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct r.customer_id, 'custom', r.name from new_rows r;
  return null;
end $$;

create function custom_grants_log_update() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct r.customer_id, 'custom', r.name from (table old_rows union all table new_rows) r;
  return null;
end $$;

create function custom_grants_log_delete() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct r.customer_id, 'custom', r.name from old_rows r;
  return null;
end $$;

create function custom_grants_log_truncate() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id) values ('*', 'custom', '*');
  return null;
end $$;

create trigger custom_grants_log_insert after insert on custom_grants
  referencing new table as new_rows
  for each statement execute function custom_grants_log_insert();
create trigger custom_grants_log_update after update on custom_grants
  referencing old table as old_rows new table as new_rows
  for each statement execute function custom_grants_log_update();
create trigger custom_grants_log_delete after delete on custom_grants
  referencing old table as old_rows
  for each statement execute function custom_grants_log_delete();
create trigger custom_grants_log_truncate after truncate on custom_grants
  for each statement execute function custom_grants_log_truncate();
