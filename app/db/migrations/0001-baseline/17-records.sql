-- The elements of arrays with filters, because conditions on arrays (&&, @>) are not leakproof: under row level security
-- they use no index.
create table elements (
  customer_id text collate "C" not null,
  resource text collate "C" not null,
  field text collate "C" not null,
  value text collate "C" not null check (octet_length(value) <= 2000),
  id text collate "C" not null,
  primary key (customer_id, resource, field, value, id)
);

-- A row for each statement that deletes records, so that transactions do not wait for each other. `changed_at` is never
-- earlier than the newest change of the deleted records.
create table removals (
  customer_id text collate "C" not null,
  resource text collate "C" not null,
  changed_at timestamptz not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (customer_id, resource, changed_at, xid)
);
comment on table removals is 'when records were last deleted; * = everybody''s. Only the newest of each counts';

create policy reader on removals for select to certdata_reader
  using (customer_id in (nullif(current_setting('app.customer_id', true), ''), '*'));

grant select, insert, delete on removals to certdata_operator;
grant select on removals to certdata_reader;

grant select, insert, update, delete on elements to certdata_operator;
grant select on elements to certdata_reader;

create function prune_removals() returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  delete from removals r where exists (
    select from removals n where n.customer_id = r.customer_id and n.resource = r.resource
      and (n.changed_at, n.xid) > (r.changed_at, r.xid))
$$;

revoke execute on function prune_removals from public;
grant execute on function prune_removals to certdata_reader, certdata_operator;

-- Creates the triggers of every table of records. `countries` has no customer_id: its rows belong to `*`. `npm run
-- bench:writers` removes the parts between `-- history` and `-- end`.
do $setup$
declare
  resource record;
  owner text;
  key text;
  sorts text;
  changes text;
  internal text[];
  template text;
begin
  for resource in select * from (values
    -- The arrays in `elements`, and the texts whose words are searched.
    ('certificates', array['standards', 'tags'], 'r.number, r.title, r.holder'),
    ('products', array['part_numbers', 'tags'],
      'r.name, array_to_string(r.part_numbers, '' ''), r.model, r.brand, r.manufacturer'),
    ('projects', array['product_ids', 'country_codes', 'tags'], 'r.project_number, r.customer_reference, r.title'),
    ('lab', array['standards', 'tags'], 'r.report_number, r.title, r.laboratory'),
    ('approvals', array['tags'], 'r.scheme, r.product_id, r.certificate_id'),
    ('countries', null, 'r.code, r.alpha3, r.name,
      (select string_agg(concat_ws('' '', a.name, a.abbreviation), '' '') from unnest(r.authorities) a)')
  ) as listed (name, elements, words) loop
    key := case when resource.name = 'countries' then 'id' else 'customer_id, id' end;
    owner := case when resource.name = 'countries' then '''*''' else '\1' end;

    -- Null sorts last: a date becomes infinity, and a text `w`, which is after `v` and the text.
    select string_agg(format(case when atttypid = 'date'::regtype then 'new.%I := coalesce(new.%I, ''infinity'');'
        else 'new.%I := coalesce(''v'' || new.%I, ''w'');' end, attname, regexp_replace(attname, '_sort$', '')), E'\n  ')
        filter (where attname ~ '_sort$'),
      string_agg(format('case when old.%1$I is distinct from new.%1$I then ''"%1$s":'' || coalesce(to_json(old.%1$I)::text, ''null'') end',
        attname), E',\n    ' order by attnum) filter (where not is_internal and attname <> 'created_at'),
      array_agg(attname) filter (where is_internal)
    into sorts, changes, internal
    from pg_attribute cross join lateral (
      select attname ~ '^(customer_id|id|updated_at|created_xid)$|_sort$' as is_internal) c
    where attrelid = resource.name::regclass and attnum > 0;

    -- Drops updates that change nothing. Generated columns are computed later and would always differ, so sort
    -- columns are set here. `updated_at` never decreases, and a record never begins before the previous one with its key
    -- ended.
    template := $template$
create function {table}_before() returns trigger language plpgsql as $$
begin
  {sorts}
  if tg_op = 'INSERT' then
    new.created_at := now();
    new.updated_at := now();
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
  if new is not distinct from old then return null; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $$;
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
create trigger {table}_log_insert after insert on {table} referencing new table as new_rows
  for each statement execute function {table}_log_insert();

create function {table}_log_update() returns trigger language plpgsql as $$
declare former text;
begin
  if {is moved} then return null; end if;
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
create trigger {table}_log_update after update on {table} for each row execute function {table}_log_update();

create function {table}_log_delete() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id) select {o.customer_id}, '{table}', o.id from old_rows o;
  insert into removals (customer_id, resource, changed_at)
    select {o.customer_id}, '{table}', greatest(now(), max(o.updated_at)) from old_rows o
    group by 1 on conflict do nothing;
  -- history
  insert into record_history (customer_id, resource, record_id, position, at)
    select {o.customer_id}, '{table}', o.id, coalesce(l.position + 1, 0), o.created_at
    from old_rows o left join lateral (
      select h.position, h.old = '{}' as is_mark from record_history h
      where h.customer_id = {o.customer_id} and h.resource = '{table}' and h.record_id = o.id
        and (h.old ? 'created_at' or h.old = '{}')
      order by h.position desc limit 1) l on true
    where l.is_mark is not true and {has customer};
  insert into record_history (customer_id, resource, record_id, at, since, old)
    select {o.customer_id}, '{table}', o.id, greatest(now(), o.updated_at), o.updated_at, to_jsonb(o) - {internal}
    from old_rows o where {has customer};
  -- end
  return null;
end $$;
create trigger {table}_log_delete after delete on {table} referencing old table as old_rows
  for each statement execute function {table}_log_delete();

create function {table}_log_moved() returns trigger language plpgsql as $$
declare ended record;
begin
  insert into change_log (customer_id, resource, record_id)
    values ({old.customer_id}, '{table}', old.id), ({new.customer_id}, '{table}', new.id);
  insert into removals (customer_id, resource, changed_at)
    values ({old.customer_id}, '{table}', greatest(now(), old.updated_at)) on conflict do nothing;
  -- history
  select h.position, h.old = '{}' as is_mark into ended from record_history h
    where h.customer_id = {old.customer_id} and h.resource = '{table}' and h.record_id = old.id
      and (h.old ? 'created_at' or h.old = '{}')
    order by h.position desc limit 1;
  if ended.is_mark is not true then
    insert into record_history (customer_id, resource, record_id, position, at)
      values ({old.customer_id}, '{table}', old.id, coalesce(ended.position + 1, 0), old.created_at);
  end if;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    values ({old.customer_id}, '{table}', old.id, greatest(now(), old.updated_at), old.updated_at,
      to_jsonb(old) - {internal});
  if former_end({new.customer_id}, '{table}', new.id) > new.created_at then
    update {table} set created_at = 'infinity' where {is new};
  end if;
  -- end
  return null;
end $$;
create trigger {table}_log_moved after update of {key} on {table}
  for each row when ({is moved}) execute function {table}_log_moved();

create function {table}_log_truncate() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id) values ('*', '{table}', '*');
  insert into removals (customer_id, resource, changed_at) values ('*', '{table}', now()) on conflict do nothing;
  delete from record_history where resource = '{table}';
  update history_begun set since = now() where resource = '{table}';
  delete from record_words where resource = '{table}';
  delete from elements where resource = '{table}';
  return null;
end $$;
create trigger {table}_log_truncate after truncate on {table}
  for each statement execute function {table}_log_truncate();

create function {table}_words_insert() returns trigger language plpgsql as $$
begin
  insert into record_words
  select {r.customer_id}, '{table}', r.id, array_to_tsvector(array(
    select '{table}/' || {r.customer_id} || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', {words}))) word
    where length(word) > 1))
  from new_rows r;
  return null;
end $$;
create function {table}_words_update() returns trigger language plpgsql as $$
begin
  if not ({is moved} or {has new words}) then return null; end if;
  update record_words w set customer_id = {new.customer_id}, id = new.id, words = array_to_tsvector(array(
    select '{table}/' || {new.customer_id} || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', {new words}))) word
    where length(word) > 1))
  where w.customer_id = {old.customer_id} and w.resource = '{table}' and w.id = old.id;
  return null;
end $$;
create function {table}_words_delete() returns trigger language plpgsql as $$
begin
  delete from record_words w using old_rows r
  where w.customer_id = {r.customer_id} and w.resource = '{table}' and w.id = r.id;
  return null;
end $$;
create trigger {table}_words_insert after insert on {table} referencing new table as new_rows
  for each statement execute function {table}_words_insert();
create trigger {table}_words_update after update on {table} for each row execute function {table}_words_update();
create trigger {table}_words_delete after delete on {table} referencing old table as old_rows
  for each statement execute function {table}_words_delete();

grant select on {table} to certdata_reader;
grant select, insert, update, delete on {table} to certdata_operator;$template$;

    if resource.elements is not null then
      template := template || $template$
create function {table}_elements_insert() returns trigger language plpgsql as $$
begin
  insert into elements (customer_id, resource, field, value, id)
    select distinct r.customer_id, '{table}', f.name, v, r.id
    from new_rows r cross join lateral (values {elements of r}) f (name, list) cross join unnest(f.list) v
    on conflict do nothing;
  return null;
end $$;
create function {table}_elements_update() returns trigger language plpgsql as $$
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
create function {table}_elements_delete() returns trigger language plpgsql as $$
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

    template := replace(template, '{table}', resource.name);
    template := replace(template, '{key}', key);
    template := replace(template, '{sorts}', coalesce(sorts, ''));
    template := replace(template, '{changes}', changes);
    template := replace(template, '{internal}', quote_literal(internal) || '::text[]');
    template := replace(template, '{has customer}', case when owner = '\1'
      then 'exists (select from customers c where c.customer_id = o.customer_id)' else 'true' end);
    template := replace(template, '{words}', resource.words);
    template := replace(template, '{new words}', regexp_replace(resource.words, '\mr\.', 'new.', 'g'));
    template := replace(template, '{has new words}', (
      select string_agg(distinct format('old.%1$I is distinct from new.%1$I', m[1]), ' or ')
      from regexp_matches(resource.words, '\mr\.(\w+)', 'g') m));
    template := replace(template, '{has new elements}', coalesce((
      select string_agg(format('old.%1$I is distinct from new.%1$I', e), ' or ') from unnest(resource.elements) e), ''));
    template := replace(template, '{is moved}',
      replace(regexp_replace(key, '(\w+)', 'old.\1 is distinct from new.\1', 'g'), ', ', ' or '));
    template := replace(template, '{is late}',
      replace(regexp_replace(key, '(\w+)', '\1 = late.\1', 'g'), ', ', ' and '));
    template := replace(template, '{is new}',
      replace(regexp_replace(key, '(\w+)', '\1 = new.\1', 'g'), ', ', ' and '));
    template := regexp_replace(template, '\{elements of (\w+)\}', coalesce((
      select string_agg(format('(%L, \1.%I)', e, e), ', ') from unnest(resource.elements) e), ''), 'g');
    template := regexp_replace(template, '\{(\w+\.customer_id)\}', owner, 'g');
    execute template;
  end loop;
end $setup$;
