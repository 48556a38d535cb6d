-- Completes a new table of records: triggers, grants, policies, and the start of its history. A table without customer_id
-- has reference data. `elements`: arrays with filters. `words`: SQL of the texts of a row `r` that are searched. Every
-- function has a search path: docs/decisions/0150-functions-have-a-search-path.md.
create or replace function pg_temp.add_record_table(resource text, elements text[], words text) returns void
language plpgsql set search_path = public, pg_temp as $setup$
declare
  is_owned boolean := exists (
    select from pg_attribute where attrelid = resource::regclass and attname = 'customer_id');
  owner text := case when is_owned then '\1' else '''*''' end;
  key text := case when is_owned then 'customer_id, id' else 'id' end;
  sorts text;
  changes text;
  fields text;
  same text;
  template text;
  trigger_name name;
  vector text := $vector$words_vector(array(
    select '{table}/' || {r.customer_id} || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', {words}))) word
    where length(word) > 1))$vector$;
begin
  -- Null sorts last: a date becomes infinity, and a text `w`, which is after `v` and the text.
  select string_agg(format(case when atttypid = 'date'::regtype then 'new.%I := coalesce(new.%I, ''infinity'');'
      else 'new.%I := coalesce(''v'' || new.%I, ''w'');' end, attname, regexp_replace(attname, '_sort$', '')), E'\n  ')
      filter (where attname ~ '_sort$'),
    string_agg(format('case when old.%1$I is distinct from new.%1$I then ''"%1$s":'' || coalesce(to_json(old.%1$I)::text, ''null'') end',
      attname), E',\n    ' order by attnum)
      filter (where attname !~ '^(customer_id|id|created_at|updated_at|created_xid)$|_sort$'),
    string_agg(quote_literal(attname), ', ' order by attnum)
      filter (where attname !~ '^(customer_id|id|updated_at|created_xid)$|_sort$'),
    string_agg(format('new.%1$I is not distinct from old.%1$I', attname), E'\n    and ' order by attnum)
      filter (where attname !~ '^(customer_id|id|updated_at|created_xid)$|_sort$')
  into sorts, changes, fields, same
  from pg_attribute where attrelid = resource::regclass and attnum > 0;

  -- An update that changes nothing writes the row again: programs that count rows take 0 for an error. It leaves no other
  -- trace. Columns that the operator has added do not count: answers do not show them. Generated columns are computed
  -- later and would always differ, so sort columns are set here.
  -- `updated_at` never decreases, and a record never begins before the previous one with its key ended.
  template := $template$
create function {table}_before() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  {sorts}
  if tg_op = 'INSERT' then
    -- See docs/decisions/0160-imported-customers-keep-their-times.md.
    if current_setting('app.keeps_times', true) is distinct from 'on' then
      new.created_at := now();
      new.updated_at := now();
    end if;
    new.created_xid := pg_current_xact_id();
    return new;
  end if;
  if {is moved} then
    new.created_at := greatest(now(), old.updated_at);
    new.created_xid := pg_current_xact_id();
  else
    new.created_xid := old.created_xid;
    if old.created_at is distinct from new.created_at then
      new.created_at := greatest(old.created_at, former_end({new.customer_id}, '{table}', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if not ({is moved}) and {is same} then return new; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $$;
create trigger {table}_before before insert or update on {table}
  for each row execute function {table}_before();

create function {table}_log_update() returns trigger language plpgsql
set search_path = public, pg_temp as $$
declare former text;
begin
  if {is moved} or ({is same}) then return null; end if;
  insert into change_log (customer_id, resource, record_id) values ({new.customer_id}, '{table}', new.id);
  -- history
  former := concat_ws(',',
    {changes});
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values ({new.customer_id}, '{table}', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $$;

create function {table}_words_insert() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  insert into record_words (customer_id, resource, id, words)
    select {r.customer_id}, '{table}', r.id, {words of r} from new_rows r;
  return null;
end $$;
create function {table}_words_update() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  if not ({is moved} or {has new words}) then return null; end if;
  update record_words w set customer_id = {new.customer_id}, id = new.id, words = {words of new}
  where w.customer_id = {old.customer_id} and w.resource = '{table}' and w.id = old.id;
  return null;
end $$;

create trigger {table}_log_insert after insert on {table} referencing new table as new_rows
  for each statement execute function {kind}_log_insert();
create trigger {table}_log_update after update on {table} for each row execute function {table}_log_update();
create trigger {table}_log_delete after delete on {table} referencing old table as old_rows
  for each statement execute function {kind}_log_delete({fields});
create trigger {table}_log_moved after update of {key} on {table}
  for each row when ({is moved}) execute function {kind}_log_moved({fields});
create trigger {table}_log_truncate after truncate on {table}
  for each statement execute function log_records_truncate();
create trigger {table}_words_insert after insert on {table} referencing new table as new_rows
  for each statement execute function {table}_words_insert();
create trigger {table}_words_update after update on {table} for each row execute function {table}_words_update();
create trigger {table}_words_delete after delete on {table} referencing old table as old_rows
  for each statement execute function {kind}_words_delete();

grant select on {table} to certdata_reader;
grant select, insert, update, delete on {table} to certdata_operator;$template$;

  if is_owned then
    template := template || $template$
alter table {table} enable row level security, force row level security;
create policy operator on {table} for all to certdata_operator using (true) with check (true);
create policy reader on {table} for select to certdata_reader
  using (customer_id = nullif(current_setting('app.customer_id', true), ''));$template$;
  end if;

  if elements is not null then
    template := template || $template$
create function {table}_elements_insert() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  insert into elements (customer_id, resource, field, value, id)
    select distinct r.customer_id, '{table}', f.name, v, r.id
    from new_rows r cross join lateral (values {elements of r}) f (name, list) cross join unnest(f.list) v
    on conflict do nothing;
  return null;
end $$;
create function {table}_elements_update() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  if not ({is moved} or {has new elements}) then return null; end if;
  delete from elements e using (
    select old.customer_id, f.name, v as value, old.id from (values {elements of old}) f (name, list), unnest(f.list) v
    except
    select new.customer_id, f.name, v, new.id from (values {elements of new}) f (name, list), unnest(f.list) v) g
    where e.customer_id = g.customer_id and e.resource = '{table}' and e.field = g.name and e.value = g.value
      and e.id = g.id;
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, '{table}', n.name, n.value, n.id from (
      select new.customer_id, f.name, v as value, new.id from (values {elements of new}) f (name, list), unnest(f.list) v
      except
      select old.customer_id, f.name, v, old.id from (values {elements of old}) f (name, list), unnest(f.list) v) n
    on conflict do nothing;
  return null;
end $$;
create function {table}_elements_delete() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  delete from elements e using (
    select distinct r.customer_id, f.name, v as value, r.id
    from old_rows r cross join lateral (values {elements of r}) f (name, list) cross join unnest(f.list) v) g
    where e.customer_id = g.customer_id and e.resource = '{table}' and e.field = g.name and e.value = g.value
      and e.id = g.id;
  return null;
end $$;
create trigger {table}_elements_insert after insert on {table} referencing new table as new_rows
  for each statement execute function {table}_elements_insert();
create trigger {table}_elements_update after update on {table}
  for each row execute function {table}_elements_update();
create trigger {table}_elements_delete after delete on {table} referencing old table as old_rows
  for each statement execute function {table}_elements_delete();$template$;
  end if;

  template := replace(template, '{words of r}', replace(vector, '{words}', words));
  template := replace(template, '{words of new}',
    regexp_replace(replace(vector, '{words}', words), '\mr\.', 'new.', 'g'));
  template := replace(template, '{table}', resource);
  template := replace(template, '{kind}', case when is_owned then 'records' else 'countries' end);
  template := replace(template, '{key}', key);
  template := replace(template, '{sorts}', coalesce(sorts, ''));
  template := replace(template, '{changes}', changes);
  template := replace(template, '{fields}', fields);
  template := replace(template, '{is same}', same);
  template := replace(template, '{has new words}', (
    select string_agg(distinct format('old.%1$I is distinct from new.%1$I', m[1]), ' or ')
    from regexp_matches(words, '\mr\.(\w+)', 'g') m));
  template := replace(template, '{has new elements}', coalesce((
    select string_agg(format('old.%1$I is distinct from new.%1$I', e), ' or ') from unnest(elements) e), ''));
  template := replace(template, '{is moved}',
    replace(regexp_replace(key, '(\w+)', 'old.\1 is distinct from new.\1', 'g'), ', ', ' or '));
  template := regexp_replace(template, '\{elements of (\w+)\}', coalesce((
    select string_agg(format('(%L, \1.%I)', e, e), ', ') from unnest(elements) e), ''), 'g');
  execute regexp_replace(template, '\{(\w+\.customer_id)\}', owner, 'g');
  for trigger_name in select tgname from pg_trigger where tgrelid = resource::regclass and not tgisinternal loop
    execute format('alter table %I enable always trigger %I', resource, trigger_name);
  end loop;
  insert into history_begun (resource, since) values (resource, clock_timestamp());
end $setup$;
