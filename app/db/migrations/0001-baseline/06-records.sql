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
comment on table removals is 'times of deletions; only the newest of a customer and resource counts; customer * = all';

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

grant execute on function prune_removals to certdata_reader, certdata_operator;

create function log_records_truncate() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  insert into change_log (customer_id, resource, record_id) values ('*', tg_table_name, '*');
  insert into removals (customer_id, resource, changed_at) values ('*', tg_table_name, now()) on conflict do nothing;
  delete from record_history where resource = tg_table_name;
  update history_begun set since = now() where resource = tg_table_name;
  delete from record_words where resource = tg_table_name;
  delete from elements where resource = tg_table_name;
  return null;
end $$;

-- Trigger functions that all tables of records share. `countries` has no customer_id: its rows belong to `*`. The
-- arguments of the triggers are the columns of the history, without columns that the operator has added. `npm run
-- bench:writers` removes the parts between `-- history` and `-- end`.
do $setup$
declare
  kind record;
  template text;
  ending text := $ending$insert into removals (customer_id, resource, changed_at)
    select {o.customer_id}, tg_table_name, greatest(now(), max(o.updated_at)) from {rows} o
    group by 1 on conflict do nothing;
  -- history
  insert into record_history (customer_id, resource, record_id, position, at)
    select {o.customer_id}, tg_table_name, o.id, coalesce(l.position + 1, 0), o.created_at
    from {rows} o left join lateral (
      select h.position, h.old = '{}' as is_mark from record_history h
      where h.customer_id = {o.customer_id} and h.resource = tg_table_name and h.record_id = o.id
        and (h.old ? 'created_at' or h.old = '{}')
      order by h.position desc limit 1) l on true
    where l.is_mark is not true and {has customer};
  insert into record_history (customer_id, resource, record_id, at, since, old)
    select {o.customer_id}, tg_table_name, o.id, greatest(now(), o.updated_at), o.updated_at,
      to_jsonb(o) - array(select attname::text from pg_attribute
        where attrelid = tg_relid and attname::text <> all (tg_argv))
    from {rows} o where {has customer};
  -- end$ending$;
begin
  for kind in select * from (values
    ('records', '\1', 'customer_id = $1 and id = $2',
      'exists (select from customers c where c.customer_id = o.customer_id)'),
    ('countries', '''*''', 'id = $2', 'true')
  ) as listed (name, owner, key, has_customer) loop
    template := $template$
create function {kind}_log_insert() returns trigger language plpgsql
set search_path = public, pg_temp as $$
declare late record;
begin
  insert into change_log (customer_id, resource, record_id) select {r.customer_id}, tg_table_name, r.id from new_rows r;
  -- history
  for late in select {r.customer_id} as owner, r.id from new_rows r cross join lateral (select h.at from record_history h
    where h.customer_id = {r.customer_id} and h.resource = tg_table_name and h.record_id = r.id and h.old ? 'created_at'
    order by h.position desc limit 1) l
    where l.at > r.created_at loop
    execute format('update %I set created_at = ''infinity'' where {key}', tg_table_name) using late.owner, late.id;
  end loop;
  -- end
  return null;
end $$;

create function {kind}_log_delete() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  insert into change_log (customer_id, resource, record_id) select {o.customer_id}, tg_table_name, o.id from old_rows o;
  {end old_rows}
  return null;
end $$;

create function {kind}_log_moved() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  insert into change_log (customer_id, resource, record_id)
    values ({old.customer_id}, tg_table_name, old.id), ({new.customer_id}, tg_table_name, new.id);
  {end old}
  -- history
  if former_end({new.customer_id}, tg_table_name, new.id) > new.created_at then
    execute format('update %I set created_at = ''infinity'' where {key}', tg_table_name)
      using {new.customer_id}, new.id;
  end if;
  -- end
  return null;
end $$;

create function {kind}_words_delete() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  delete from record_words w using old_rows r
  where w.customer_id = {r.customer_id} and w.resource = tg_table_name and w.id = r.id;
  return null;
end $$;$template$;
    template := replace(template, '{end old_rows}', replace(ending, '{rows}', 'old_rows'));
    template := replace(template, '{end old}', replace(ending, '{rows}', '(select old.*)'));
    template := replace(template, '{kind}', kind.name);
    template := replace(template, '{key}', kind.key);
    template := replace(template, '{has customer}', kind.has_customer);
    execute regexp_replace(template, '\{(\w+\.customer_id)\}', kind.owner, 'g');
  end loop;
end $setup$;
