-- Row level security: the operator sees every customer, and the reader one, if the table has a policy `reader`.
do $$
declare
  name text;
begin
  for name in select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'customer_id'
      and not c.relrowsecurity loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy operator on %I for all to certdata_operator using (true) with check (true)', name);
  end loop;
  foreach name in array array['elements', 'record_history', 'audit_copies'] loop
    execute format('create policy reader on %I for select to certdata_reader
      using (customer_id = nullif(current_setting(''app.customer_id'', true), ''''))', name);
  end loop;
end $$;

-- Functions that act as the owner are only for roles with a grant.
do $$
declare
  each regprocedure;
begin
  for each in select oid from pg_proc where pronamespace = 'public'::regnamespace and prosecdef loop
    execute format('revoke execute on function %s from public', each);
  end loop;
end $$;

-- `last_used_on` is written each day and changes no rights.
create function log_rights() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct r ->> 'customer_id', 'auth', coalesce(r ->> 'key_id', '*')
    from unnest(array[to_jsonb(old), to_jsonb(new)]) r
    where to_jsonb(old) - 'last_used_on' is distinct from to_jsonb(new) - 'last_used_on' and r is not null;
  return null;
end $$;

create function log_custom() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select distinct coalesce(r ->> 'customer_id', '*'), 'custom', r ->> 'name'
    from unnest(array[to_jsonb(old), to_jsonb(new)]) r
    where to_jsonb(old) is distinct from to_jsonb(new) and r is not null;
  return null;
end $$;

create function log_truncate() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  insert into change_log (customer_id, resource, record_id) values ('*', tg_argv[0], '*');
  return null;
end $$;

do $$
declare
  logged record;
begin
  for logged in select * from (values ('customers', 'auth', 'log_rights'), ('api_keys', 'auth', 'log_rights'),
    ('revoked_tokens', 'auth', 'log_rights'), ('custom_endpoints', 'custom', 'log_custom'),
    ('custom_documents', 'custom', 'log_custom'), ('custom_grants', 'custom', 'log_custom')
  ) as listed (name, resource, log) loop
    execute format('create trigger %1$s_log_change after insert or update or delete on %1$I
      for each row execute function %2$I()', logged.name, logged.log);
    execute format('create trigger %1$s_log_truncate after truncate on %1$I
      for each statement execute function log_truncate(%2$L)', logged.name, logged.resource);
  end loop;
end $$;

-- Triggers fire in every session, also with session_replication_role = replica.
do $$
declare
  each record;
begin
  for each in select tgrelid::regclass as of_table, tgname from pg_trigger where not tgisinternal loop
    execute format('alter table %s enable always trigger %I', each.of_table, each.tgname);
  end loop;
end $$;
