create table products (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,64}$' and id !~ '^[.]+$'),
  name text collate "C" not null check (octet_length(name) <= 2000),
  part_numbers text[] collate "C" not null default '{}',
  model text collate "C" check (octet_length(model) <= 2000),
  model_sort text collate "C" not null,
  brand text collate "C",
  manufacturer text collate "C",
  product_status text collate "C" not null
    check (product_status in ('draft', 'in_development', 'active', 'phase_out', 'discontinued')) default
      'active',
  category text collate "C",
  technologies text[] collate "C" not null default '{}' check (technologies <@ array['wifi', 'bluetooth',
    'cellular', 'nfc', 'uwb', 'srd', 'gnss', 'radar', 'lpwan', 'satellite', 'wireless_power']),
  hardware_version text collate "C",
  software_version text collate "C",
  parent_product_id text collate "C",
  tags text[] collate "C" not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_xid xid8,
  primary key (customer_id, id),
  constraint products_part_numbers_list check (case when array_ndims(part_numbers) > 1 then false
    else coalesce(array_lower(part_numbers, 1), 1) = 1 and array_position(part_numbers, null) is null end),
  constraint products_technologies_list check (case when array_ndims(technologies) > 1 then false
    else coalesce(array_lower(technologies, 1), 1) = 1 and array_position(technologies, null) is null end),
  constraint products_tags_list check (case when array_ndims(tags) > 1 then false
    else coalesce(array_lower(tags, 1), 1) = 1 and array_position(tags, null) is null end)
);
create index products_name on products (customer_id, name, id);
create index products_model on products (customer_id, model_sort, id);
create index products_updated_at on products (customer_id, updated_at, id);
create index products_created_at on products (customer_id, created_at, id);
create index products_parent on products (customer_id, parent_product_id) where parent_product_id is not null;
create index products_product_status on products (customer_id, product_status);

-- `model_sort` begins with v, or is w if there is no model: null sorts last.
create function products_before() returns trigger language plpgsql as $$
begin
  new.model_sort := coalesce('v' || new.model, 'w');
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
      new.created_at := greatest(old.created_at, former_end(new.customer_id, 'products', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if new is not distinct from old then return null; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $$;

create function products_elements_insert() returns trigger language plpgsql as $$
begin
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'products', n.field, n.value, n.id from
      (select r.customer_id, 'part_numbers' as field, v as value, r.id from new_rows r, unnest(r.part_numbers) v
      union
      select r.customer_id, 'tags' as field, v as value, r.id from new_rows r, unnest(r.tags) v) n on conflict do nothing;
  return null;
end $$;

create function products_elements_update() returns trigger language plpgsql as $$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id
    or old.part_numbers is distinct from new.part_numbers
    or old.tags is distinct from new.tags) then return null; end if;
  delete from elements e using
    ((select old.customer_id, 'part_numbers' as field, v as value, old.id from unnest(old.part_numbers) v
    union select old.customer_id, 'tags' as field, v as value, old.id from unnest(old.tags) v)
    except
    (select new.customer_id, 'part_numbers' as field, v as value, new.id from unnest(new.part_numbers) v
    union select new.customer_id, 'tags' as field, v as value, new.id from unnest(new.tags) v)) g
    where e.customer_id = g.customer_id and e.resource = 'products' and e.field = g.field and e.value = g.value
      and e.id = g.id;
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'products', n.field, n.value, n.id from
      ((select new.customer_id, 'part_numbers' as field, v as value, new.id from unnest(new.part_numbers) v
      union select new.customer_id, 'tags' as field, v as value, new.id from unnest(new.tags) v)
      except
      (select old.customer_id, 'part_numbers' as field, v as value, old.id from unnest(old.part_numbers) v
      union
      select old.customer_id, 'tags' as field, v as value, old.id from unnest(old.tags) v)) n on conflict do nothing;
  return null;
end $$;

create function products_elements_delete() returns trigger language plpgsql as $$
begin
  delete from elements e using
      (select r.customer_id, 'part_numbers' as field, v as value, r.id from old_rows r, unnest(r.part_numbers) v
      union select r.customer_id, 'tags' as field, v as value, r.id from old_rows r, unnest(r.tags) v) g
    where e.customer_id = g.customer_id and e.resource = 'products' and e.field = g.field
      and e.value = g.value and e.id = g.id;
  return null;
end $$;

create function products_words_insert() returns trigger language plpgsql as $$
begin
  insert into record_words
  select r.customer_id, 'products', r.id, array_to_tsvector(array(
    select 'products/' || r.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', r.name, array_to_string(r.part_numbers, ' '), r.model, r.brand,
      r.manufacturer))) word
    where length(word) > 1))
  from new_rows r;
  return null;
end $$;

create function products_words_update() returns trigger language plpgsql as $$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id
    or old.name is distinct from new.name or old.part_numbers is distinct from new.part_numbers
    or old.model is distinct from new.model or old.brand is distinct from new.brand
    or old.manufacturer is distinct from new.manufacturer) then return null; end if;
  update record_words w set customer_id = new.customer_id, id = new.id, words = array_to_tsvector(array(
    select 'products/' || new.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', new.name, array_to_string(new.part_numbers, ' '), new.model, new.brand,
      new.manufacturer))) word
    where length(word) > 1))
  where w.customer_id = old.customer_id and w.resource = 'products' and w.id = old.id;
  return null;
end $$;

create function products_log_update() returns trigger language plpgsql as $$
declare former text;
begin
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id then return null; end if;
  insert into change_log (customer_id, resource, record_id)
    values (new.customer_id, 'products', new.id);
  -- history
  former := concat_ws(',',
    case when old.name is distinct from new.name then '"name":' || coalesce(to_json(old.name)::text, 'null') end,
    case when old.part_numbers is distinct from new.part_numbers then '"part_numbers":' || coalesce(to_json(old.part_numbers)::text, 'null') end,
    case when old.model is distinct from new.model then '"model":' || coalesce(to_json(old.model)::text, 'null') end,
    case when old.brand is distinct from new.brand then '"brand":' || coalesce(to_json(old.brand)::text, 'null') end,
    case when old.manufacturer is distinct from new.manufacturer then '"manufacturer":' || coalesce(to_json(old.manufacturer)::text, 'null') end,
    case when old.product_status is distinct from new.product_status then '"product_status":' || coalesce(to_json(old.product_status)::text, 'null') end,
    case when old.category is distinct from new.category then '"category":' || coalesce(to_json(old.category)::text, 'null') end,
    case when old.technologies is distinct from new.technologies then '"technologies":' || coalesce(to_json(old.technologies)::text, 'null') end,
    case when old.hardware_version is distinct from new.hardware_version then '"hardware_version":' || coalesce(to_json(old.hardware_version)::text, 'null') end,
    case when old.software_version is distinct from new.software_version then '"software_version":' || coalesce(to_json(old.software_version)::text, 'null') end,
    case when old.parent_product_id is distinct from new.parent_product_id then '"parent_product_id":' || coalesce(to_json(old.parent_product_id)::text, 'null') end,
    case when old.tags is distinct from new.tags then '"tags":' || coalesce(to_json(old.tags)::text, 'null') end);
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values (new.customer_id, 'products', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $$;

create function products_log_delete() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select r.customer_id, 'products', r.id from old_rows r;
  insert into record_history (customer_id, resource, record_id, position, at)
    select o.customer_id, 'products', o.id, coalesce(l.position + 1, 0), o.created_at
    from (select r.* from old_rows r where exists (select from customers c where c.customer_id = r.customer_id)) o
      left join lateral (
      select h.position, h.old = '{}' as is_mark from record_history h
      where h.customer_id = o.customer_id and h.resource = 'products' and h.record_id = o.id
        and (h.old ? 'created_at' or h.old = '{}')
      order by h.position desc limit 1) l on true
    where l.is_mark is not true;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    select o.customer_id, 'products', o.id, greatest(now(), o.updated_at), o.updated_at,
      jsonb_build_object('created_at', o.created_at, 'name', o.name, 'part_numbers', o.part_numbers, 'model',
        o.model, 'brand', o.brand, 'manufacturer', o.manufacturer, 'product_status', o.product_status, 'category',
        o.category, 'technologies', o.technologies, 'hardware_version', o.hardware_version, 'software_version',
        o.software_version, 'parent_product_id', o.parent_product_id, 'tags', o.tags)
    from (select r.* from old_rows r where exists (select from customers c where c.customer_id = r.customer_id)) o;
  return null;
end $$;

create function products_log_moved() returns trigger language plpgsql as $$
declare ended record;
begin
  insert into change_log (customer_id, resource, record_id)
    values (old.customer_id, 'products', old.id), (new.customer_id, 'products', new.id);
  -- history
  select h.position, h.old = '{}' as is_mark into ended from record_history h
    where h.customer_id = old.customer_id and h.resource = 'products' and h.record_id = old.id
      and (h.old ? 'created_at' or h.old = '{}')
    order by h.position desc limit 1;
  if ended.is_mark is not true then
    insert into record_history (customer_id, resource, record_id, position, at)
      values (old.customer_id, 'products', old.id, coalesce(ended.position + 1, 0), old.created_at);
  end if;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    values (old.customer_id, 'products', old.id, greatest(now(), old.updated_at), old.updated_at,
      jsonb_build_object('created_at', old.created_at, 'name', old.name, 'part_numbers', old.part_numbers, 'model',
        old.model, 'brand', old.brand, 'manufacturer', old.manufacturer, 'product_status', old.product_status,
        'category', old.category, 'technologies', old.technologies, 'hardware_version', old.hardware_version,
        'software_version', old.software_version, 'parent_product_id', old.parent_product_id, 'tags', old.tags));
  if former_end(new.customer_id, 'products', new.id) > new.created_at then
    update products set created_at = 'infinity' where customer_id = new.customer_id and id = new.id;
  end if;
  -- end
  return null;
end $$;
