-- One row for each element of the arrays that can be filtered. Conditions on arrays (&&, @>) are not leakproof: under row
-- level security no index would be used.
create table elements (
  customer_id text collate "C" not null,
  resource text collate "C" not null,
  field text collate "C" not null,
  value text collate "C" not null check (octet_length(value) <= 2000),
  id text collate "C" not null,
  primary key (customer_id, resource, field, value, id)
);

-- When records were last deleted. Each deleting statement adds a row of its own, so that transactions do not wait for each
-- other. The time is never earlier than the newest change of the deleted records.
create table removals (
  customer_id text collate "C" not null,
  resource text collate "C" not null,
  changed_at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (customer_id, resource, changed_at, xid)
);
comment on table removals is 'when records were last deleted; * = everybody''s. Only the newest of each counts';

alter table removals enable row level security;
alter table removals force row level security;
create policy operator on removals for all to certdata_operator using (true) with check (true);

create policy reader on removals for select to certdata_reader
  using (customer_id in (nullif(current_setting('app.customer_id', true), ''), '*'));

grant select, insert, delete on removals to certdata_operator;
grant select on removals to certdata_reader;

alter table elements enable row level security;
alter table elements force row level security;
create policy operator on elements for all to certdata_operator using (true) with check (true);

create policy reader on elements for select to certdata_reader
  using (customer_id = nullif(current_setting('app.customer_id', true), ''));

grant select, insert, update, delete on elements to certdata_operator;
grant select on elements to certdata_reader;

-- Keeps the newest row of each customer and resource.
create function prune_removals() returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  delete from removals r where exists (
    select from removals n where n.customer_id = r.customer_id and n.resource = r.resource
      and (n.changed_at, n.xid) > (r.changed_at, r.xid))
$$;

revoke execute on function prune_removals from public;
grant execute on function prune_removals to certdata_reader, certdata_operator;

-- The same for every table of records, and for `countries`, which has no customer_id: its rows are those of `*`.
-- The functions that need a resource's own columns are in the resource's file. `npm run bench:writers` removes the parts
-- between `-- history` and `-- end`.
do $setup$
declare
  name text;
  is_reference boolean;
  template text;
  key text;
begin
  foreach name in array array['certificates', 'products', 'projects', 'lab', 'approvals', 'countries'] loop
    is_reference := name = 'countries';
    key := case when is_reference then 'id' else 'customer_id, id' end;
    template := $template$
create trigger {table}_before before insert or update on {table}
  for each row execute function {table}_before();

create function {table}_log_insert() returns trigger language plpgsql as $$
declare late record;
begin
  insert into change_log (customer_id, resource, record_id) select {r.customer_id}, '{table}', r.id from new_rows r;
  -- history
  for late in select r.* from new_rows r cross join lateral (select h.at from record_history h
    where h.customer_id = {r.customer_id} and h.resource = '{table}' and h.record_id = r.id and h.old ? 'created_at'
    order by h.position desc limit 1) l
    where l.at > r.created_at loop
    update {table} set created_at = 'infinity' where {is late};
  end loop;
  -- end
  return null;
end $$;
create function {table}_log_truncate() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id) values ('*', '{table}', '*');
  delete from record_history where resource = '{table}';
  update history_begun set since = now() where resource = '{table}';
  return null;
end $$;
create trigger {table}_log_insert after insert on {table} referencing new table as new_rows
  for each statement execute function {table}_log_insert();
create trigger {table}_log_update after update on {table} for each row execute function {table}_log_update();
create trigger {table}_log_delete after delete on {table} referencing old table as old_rows
  for each statement execute function {table}_log_delete();
create trigger {table}_log_moved after update of {key} on {table}
  for each row when ({is moved}) execute function {table}_log_moved();
create trigger {table}_log_truncate after truncate on {table}
  for each statement execute function {table}_log_truncate();

create function {table}_removed() returns trigger language plpgsql as $$
begin
  insert into removals (customer_id, resource, changed_at)
    select {o.customer_id}, '{table}', greatest(now(), max(o.updated_at)) from old_rows o
    group by 1 on conflict do nothing;
  return null;
end $$;
create function {table}_moved() returns trigger language plpgsql as $$
begin
  insert into removals (customer_id, resource, changed_at)
    values ({old.customer_id}, '{table}', greatest(now(), old.updated_at))
    on conflict do nothing;
  return null;
end $$;
create function {table}_emptied() returns trigger language plpgsql as $$
begin
  insert into removals (customer_id, resource, changed_at) values ('*', '{table}', now()) on conflict do nothing;
  return null;
end $$;
create trigger {table}_removed after delete on {table} referencing old table as old_rows
  for each statement execute function {table}_removed();
create trigger {table}_moved after update of {key} on {table}
  for each row when (({old key}) is distinct from ({new key})) execute function {table}_moved();
create trigger {table}_emptied after truncate on {table} for each statement execute function {table}_emptied();

create function {table}_words_delete() returns trigger language plpgsql as $$
begin
  delete from record_words w using old_rows r
  where w.customer_id = {r.customer_id} and w.resource = '{table}' and w.id = r.id;
  return null;
end $$;
create function {table}_words_truncate() returns trigger language plpgsql as $$
begin
  delete from record_words where resource = '{table}';
  return null;
end $$;
create trigger {table}_words_insert after insert on {table} referencing new table as new_rows
  for each statement execute function {table}_words_insert();
create trigger {table}_words_update after update on {table} for each row execute function {table}_words_update();
create trigger {table}_words_delete after delete on {table} referencing old table as old_rows
  for each statement execute function {table}_words_delete();
create trigger {table}_words_truncate after truncate on {table}
  for each statement execute function {table}_words_truncate();

grant select on {table} to certdata_reader;
grant select, insert, update, delete on {table} to certdata_operator;$template$;

    if not is_reference then
      template := template || $template$
create function {table}_elements_truncate() returns trigger language plpgsql as $$
begin delete from elements where resource = '{table}'; return null; end $$;
create trigger {table}_elements_insert after insert on {table} referencing new table as new_rows
  for each statement execute function {table}_elements_insert();
create trigger {table}_elements_update after update on {table}
  for each row execute function {table}_elements_update();
create trigger {table}_elements_delete after delete on {table} referencing old table as old_rows
  for each statement execute function {table}_elements_delete();
create trigger {table}_elements_truncate after truncate on {table}
  for each statement execute function {table}_elements_truncate();

alter table {table} enable row level security;
alter table {table} force row level security;
create policy operator on {table} for all to certdata_operator using (true) with check (true);
create policy reader on {table} for select to certdata_reader
  using (customer_id = nullif(current_setting('app.customer_id', true), ''));$template$;
    end if;

    template := replace(template, '{table}', name);
    template := replace(template, '{key}', key);
    template := replace(template, '{old key}', regexp_replace(key, '(\w+)', 'old.\1', 'g'));
    template := replace(template, '{new key}', regexp_replace(key, '(\w+)', 'new.\1', 'g'));
    template := replace(template, '{is late}',
      replace(regexp_replace(key, '(\w+)', '\1 = late.\1', 'g'), ', ', ' and '));
    template := replace(template, '{is moved}',
      replace(regexp_replace(key, '(\w+)', 'old.\1 is distinct from new.\1', 'g'), ', ', ' or '));
    template := regexp_replace(template, '\{(\w+\.customer_id)\}',
      case when is_reference then '''*''' else '\1' end, 'g');
    execute template;
  end loop;
end $setup$;
