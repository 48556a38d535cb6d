create table projects (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,64}$' and id !~ '^[.]+$'),
  project_number text collate "C" not null check (octet_length(project_number) <= 2000),
  customer_reference text collate "C",
  title text collate "C" not null,
  status text collate "C" not null
    check (status in ('draft', 'quoted', 'ordered', 'in_progress', 'on_hold', 'completed', 'cancelled',
      'declined')) default 'draft',
  classification text collate "C"
    check (classification in ('new_certification', 'renewal', 'modification', 'variant', 'extension',
      'transfer', 'pre_compliance', 'testing', 'consulting')),
  product_ids text[] collate "C" not null default '{}',
  country_codes text[] collate "C" not null default '{}',
  ordered_on calendar_date,
  ordered_on_sort date not null,
  due_on calendar_date,
  due_on_sort date not null,
  completed_on calendar_date,
  tags text[] collate "C" not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_xid xid8,
  primary key (customer_id, id),
  constraint projects_product_ids_list check (case when array_ndims(product_ids) > 1 then false
    else coalesce(array_lower(product_ids, 1), 1) = 1 and array_position(product_ids, null) is null end),
  constraint projects_country_codes_list check (case when array_ndims(country_codes) > 1 then false
    else coalesce(array_lower(country_codes, 1), 1) = 1 and array_position(country_codes, null) is null end),
  constraint projects_tags_list check (case when array_ndims(tags) > 1 then false
    else coalesce(array_lower(tags, 1), 1) = 1 and array_position(tags, null) is null end)
);
create index projects_project_number on projects (customer_id, project_number, id);
create index projects_due_on on projects (customer_id, due_on_sort, id);
create index projects_ordered_on on projects (customer_id, ordered_on_sort, id);
create index projects_completed_on on projects (customer_id, completed_on) where completed_on is not null;
create index projects_updated_at on projects (customer_id, updated_at, id);
create index projects_created_at on projects (customer_id, created_at, id);

create function projects_before() returns trigger language plpgsql as $$
begin
  new.ordered_on_sort := coalesce(new.ordered_on, 'infinity');
  new.due_on_sort := coalesce(new.due_on, 'infinity');
  if tg_op = 'INSERT' then
    new.created_at := now();
    new.updated_at := now();
    new.created_xid := pg_current_xact_id();
    return new;
  end if;
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id then
    new.created_at := greatest(now(), old.updated_at);
    new.created_xid := pg_current_xact_id();
  else
    new.created_xid := old.created_xid;
    if old.created_at is distinct from new.created_at then
      new.created_at := greatest(old.created_at, former_end(new.customer_id, 'projects', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if new is not distinct from old then return null; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $$;

create function projects_elements_insert() returns trigger language plpgsql as $$
begin
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'projects', n.field, n.value, n.id from
      (select r.customer_id, 'product_ids' as field, v as value, r.id from new_rows r, unnest(r.product_ids) v
      union
      select r.customer_id, 'country_codes' as field, v as value, r.id from new_rows r, unnest(r.country_codes) v
      union
      select r.customer_id, 'tags' as field, v as value, r.id from new_rows r, unnest(r.tags) v) n on conflict do nothing;
  return null;
end $$;

create function projects_elements_update() returns trigger language plpgsql as $$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id
    or old.product_ids is distinct from new.product_ids or old.country_codes is distinct from new.country_codes
    or old.tags is distinct from new.tags) then return null; end if;
  delete from elements e using
    ((select old.customer_id, 'product_ids' as field, v as value, old.id from unnest(old.product_ids) v
    union select old.customer_id, 'country_codes' as field, v as value, old.id from unnest(old.country_codes) v
    union select old.customer_id, 'tags' as field, v as value, old.id from unnest(old.tags) v)
    except
    (select new.customer_id, 'product_ids' as field, v as value, new.id from unnest(new.product_ids) v
    union select new.customer_id, 'country_codes' as field, v as value, new.id from unnest(new.country_codes) v
    union select new.customer_id, 'tags' as field, v as value, new.id from unnest(new.tags) v)) g
    where e.customer_id = g.customer_id and e.resource = 'projects' and e.field = g.field and e.value = g.value
      and e.id = g.id;
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'projects', n.field, n.value, n.id from
      ((select new.customer_id, 'product_ids' as field, v as value, new.id from unnest(new.product_ids) v
      union select new.customer_id, 'country_codes' as field, v as value, new.id from unnest(new.country_codes) v
      union select new.customer_id, 'tags' as field, v as value, new.id from unnest(new.tags) v)
      except
      (select old.customer_id, 'product_ids' as field, v as value, old.id from unnest(old.product_ids) v
      union select old.customer_id, 'country_codes' as field, v as value, old.id from unnest(old.country_codes) v
      union
      select old.customer_id, 'tags' as field, v as value, old.id from unnest(old.tags) v)) n on conflict do nothing;
  return null;
end $$;

create function projects_elements_delete() returns trigger language plpgsql as $$
begin
  delete from elements e using
      (select r.customer_id, 'product_ids' as field, v as value, r.id from old_rows r, unnest(r.product_ids) v
      union
      select r.customer_id, 'country_codes' as field, v as value, r.id from old_rows r, unnest(r.country_codes) v
      union select r.customer_id, 'tags' as field, v as value, r.id from old_rows r, unnest(r.tags) v) g
    where e.customer_id = g.customer_id and e.resource = 'projects' and e.field = g.field
      and e.value = g.value and e.id = g.id;
  return null;
end $$;

create function projects_words_insert() returns trigger language plpgsql as $$
begin
  insert into record_words
  select r.customer_id, 'projects', r.id, array_to_tsvector(array(
    select 'projects/' || r.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', r.project_number, r.customer_reference, r.title))) word
    where length(word) > 1))
  from new_rows r;
  return null;
end $$;

create function projects_words_update() returns trigger language plpgsql as $$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id
    or old.project_number is distinct from new.project_number
    or old.customer_reference is distinct from new.customer_reference
    or old.title is distinct from new.title) then return null; end if;
  update record_words w set customer_id = new.customer_id, id = new.id, words = array_to_tsvector(array(
    select 'projects/' || new.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', new.project_number, new.customer_reference, new.title))) word
    where length(word) > 1))
  where w.customer_id = old.customer_id and w.resource = 'projects' and w.id = old.id;
  return null;
end $$;

create function projects_log_update() returns trigger language plpgsql as $$
declare former text;
begin
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id then return null; end if;
  insert into change_log (customer_id, resource, record_id)
    values (new.customer_id, 'projects', new.id);
  -- history
  former := concat_ws(',',
    case when old.project_number is distinct from new.project_number then '"project_number":' || coalesce(to_json(old.project_number)::text, 'null') end,
    case when old.customer_reference is distinct from new.customer_reference then '"customer_reference":' || coalesce(to_json(old.customer_reference)::text, 'null') end,
    case when old.title is distinct from new.title then '"title":' || coalesce(to_json(old.title)::text, 'null') end,
    case when old.status is distinct from new.status then '"status":' || coalesce(to_json(old.status)::text, 'null') end,
    case when old.classification is distinct from new.classification then '"classification":' || coalesce(to_json(old.classification)::text, 'null') end,
    case when old.product_ids is distinct from new.product_ids then '"product_ids":' || coalesce(to_json(old.product_ids)::text, 'null') end,
    case when old.country_codes is distinct from new.country_codes then '"country_codes":' || coalesce(to_json(old.country_codes)::text, 'null') end,
    case when old.ordered_on is distinct from new.ordered_on then '"ordered_on":' || coalesce(to_json(old.ordered_on)::text, 'null') end,
    case when old.due_on is distinct from new.due_on then '"due_on":' || coalesce(to_json(old.due_on)::text, 'null') end,
    case when old.completed_on is distinct from new.completed_on then '"completed_on":' || coalesce(to_json(old.completed_on)::text, 'null') end,
    case when old.tags is distinct from new.tags then '"tags":' || coalesce(to_json(old.tags)::text, 'null') end);
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values (new.customer_id, 'projects', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $$;

create function projects_log_delete() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select r.customer_id, 'projects', r.id from old_rows r;
  insert into record_history (customer_id, resource, record_id, position, at)
    select o.customer_id, 'projects', o.id, coalesce(l.position + 1, 0), o.created_at
    from (select r.* from old_rows r where exists (select from customers c where c.customer_id = r.customer_id)) o
      left join lateral (
      select h.position, h.old = '{}' as is_mark from record_history h
      where h.customer_id = o.customer_id and h.resource = 'projects' and h.record_id = o.id
        and (h.old ? 'created_at' or h.old = '{}')
      order by h.position desc limit 1) l on true
    where l.is_mark is not true;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    select o.customer_id, 'projects', o.id, greatest(now(), o.updated_at), o.updated_at,
      jsonb_build_object('created_at', o.created_at, 'project_number', o.project_number, 'customer_reference',
        o.customer_reference, 'title', o.title, 'status', o.status, 'classification', o.classification,
        'product_ids', o.product_ids, 'country_codes', o.country_codes, 'ordered_on', o.ordered_on, 'due_on',
        o.due_on, 'completed_on', o.completed_on, 'tags', o.tags)
    from (select r.* from old_rows r where exists (select from customers c where c.customer_id = r.customer_id)) o;
  return null;
end $$;

create function projects_log_moved() returns trigger language plpgsql as $$
declare ended record;
begin
  insert into change_log (customer_id, resource, record_id)
    values (old.customer_id, 'projects', old.id), (new.customer_id, 'projects', new.id);
  -- history
  select h.position, h.old = '{}' as is_mark into ended from record_history h
    where h.customer_id = old.customer_id and h.resource = 'projects' and h.record_id = old.id
      and (h.old ? 'created_at' or h.old = '{}')
    order by h.position desc limit 1;
  if ended.is_mark is not true then
    insert into record_history (customer_id, resource, record_id, position, at)
      values (old.customer_id, 'projects', old.id, coalesce(ended.position + 1, 0), old.created_at);
  end if;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    values (old.customer_id, 'projects', old.id, greatest(now(), old.updated_at), old.updated_at,
      jsonb_build_object('created_at', old.created_at, 'project_number', old.project_number, 'customer_reference',
        old.customer_reference, 'title', old.title, 'status', old.status, 'classification', old.classification,
        'product_ids', old.product_ids, 'country_codes', old.country_codes, 'ordered_on', old.ordered_on, 'due_on',
        old.due_on, 'completed_on', old.completed_on, 'tags', old.tags));
  if former_end(new.customer_id, 'projects', new.id) > new.created_at then
    update projects set created_at = 'infinity' where customer_id = new.customer_id and id = new.id;
  end if;
  -- end
  return null;
end $$;
