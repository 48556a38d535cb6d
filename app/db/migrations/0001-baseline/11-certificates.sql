-- Answers have the members in this order.
create type validity_period as ("from" calendar_date, until calendar_date, basis text);

create table certificates (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,64}$' and id !~ '^[.]+$'),
  number text collate "C" not null check (octet_length(number) <= 2000),
  title text collate "C" not null,
  product_id text collate "C",
  project_id text collate "C",
  approval_id text collate "C",
  supersedes_id text collate "C",
  country_code text collate "C",
  authority text collate "C",
  scheme text collate "C",
  certificate_type text collate "C"
    check (certificate_type in ('type_approval', 'declaration_of_conformity', 'certificate_of_conformity',
      'registration', 'safety_certificate', 'module_approval', 'other')),
  approval_status text collate "C" not null
    check (approval_status in ('pending', 'approved', 'conditional', 'rejected', 'suspended', 'revoked',
      'withdrawn', 'superseded')),
  valid_from calendar_date,
  valid_until calendar_date,
  valid_from_sort date not null,
  valid_until_sort date not null,
  validity_periods validity_period[] not null default '{}',
  issued_on calendar_date,
  issued_on_sort date not null,
  holder text collate "C",
  standards text[] collate "C" not null default '{}',
  tags text[] collate "C" not null default '{}',
  source_url text collate "C",
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_xid xid8,
  primary key (customer_id, id),
  constraint certificates_standards_list check (case when array_ndims(standards) > 1 then false
    else coalesce(array_lower(standards, 1), 1) = 1 and array_position(standards, null) is null end),
  constraint certificates_tags_list check (case when array_ndims(tags) > 1 then false
    else coalesce(array_lower(tags, 1), 1) = 1 and array_position(tags, null) is null end)
);
create index certificates_number on certificates (customer_id, number, id);
create index certificates_valid_from on certificates (customer_id, valid_from_sort, id);
create index certificates_issued_on on certificates (customer_id, issued_on_sort, id);
create index certificates_updated_at on certificates (customer_id, updated_at, id);
create index certificates_created_at on certificates (customer_id, created_at, id);
create index certificates_product_id on certificates (customer_id, product_id) where product_id is not null;
create index certificates_project_id on certificates (customer_id, project_id) where project_id is not null;
create index certificates_approval_id on certificates (customer_id, approval_id) where approval_id is not null;
create index certificates_country_code on certificates (customer_id, country_code) where country_code is not null;
-- Most certificates are approved. Filters on validity select the others.
create index certificates_not_standing on certificates (customer_id, approval_status)
  where approval_status in ('pending', 'rejected', 'suspended', 'revoked', 'withdrawn', 'superseded');
-- Covers counts of valid certificates.
create index certificates_valid_until on certificates (customer_id, valid_until_sort, id)
  include (approval_status, valid_from_sort);

-- Sort columns are not generated columns, because PostgreSQL computes those after this trigger: each update would look like
-- a change. An update that changes nothing is dropped. `updated_at` never goes backwards, and a record never begins before
-- the previous record with its key ended.
create function certificates_before() returns trigger language plpgsql as $$
begin
  new.valid_from_sort := coalesce(new.valid_from, 'infinity');
  new.valid_until_sort := coalesce(new.valid_until,
    'infinity');
  new.issued_on_sort := coalesce(new.issued_on, 'infinity');
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
      new.created_at := greatest(old.created_at, former_end(new.customer_id, 'certificates', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if new is not distinct from old then return null; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $$;

create function certificates_elements_insert() returns trigger language plpgsql as $$
begin
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'certificates', n.field, n.value, n.id from
      (select r.customer_id, 'standards' as field, v as value, r.id from new_rows r, unnest(r.standards) v
      union
      select r.customer_id, 'tags' as field, v as value, r.id from new_rows r, unnest(r.tags) v) n on conflict do nothing;
  return null;
end $$;

create function certificates_elements_update() returns trigger language plpgsql as $$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id
    or old.standards is distinct from new.standards or old.tags is distinct from new.tags) then return null; end if;
  delete from elements e using
    ((select old.customer_id, 'standards' as field, v as value, old.id from unnest(old.standards) v
    union select old.customer_id, 'tags' as field, v as value, old.id from unnest(old.tags) v)
    except
    (select new.customer_id, 'standards' as field, v as value, new.id from unnest(new.standards) v
    union select new.customer_id, 'tags' as field, v as value, new.id from unnest(new.tags) v)) g
    where e.customer_id = g.customer_id and e.resource = 'certificates' and e.field = g.field and e.value = g.value
      and e.id = g.id;
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'certificates', n.field, n.value, n.id from
      ((select new.customer_id, 'standards' as field, v as value, new.id from unnest(new.standards) v
      union select new.customer_id, 'tags' as field, v as value, new.id from unnest(new.tags) v)
      except
      (select old.customer_id, 'standards' as field, v as value, old.id from unnest(old.standards) v
      union
      select old.customer_id, 'tags' as field, v as value, old.id from unnest(old.tags) v)) n on conflict do nothing;
  return null;
end $$;

create function certificates_elements_delete() returns trigger language plpgsql as $$
begin
  delete from elements e using
      (select r.customer_id, 'standards' as field, v as value, r.id from old_rows r, unnest(r.standards) v
      union select r.customer_id, 'tags' as field, v as value, r.id from old_rows r, unnest(r.tags) v) g
    where e.customer_id = g.customer_id and e.resource = 'certificates' and e.field = g.field
      and e.value = g.value and e.id = g.id;
  return null;
end $$;

create function certificates_words_insert() returns trigger language plpgsql as $$
begin
  insert into record_words
  select r.customer_id, 'certificates', r.id, array_to_tsvector(array(
    select 'certificates/' || r.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', r.number, r.title, r.holder))) word
    where length(word) > 1))
  from new_rows r;
  return null;
end $$;

create function certificates_words_update() returns trigger language plpgsql as $$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id
    or old.number is distinct from new.number or old.title is distinct from new.title
    or old.holder is distinct from new.holder) then return null; end if;
  update record_words w set customer_id = new.customer_id, id = new.id, words = array_to_tsvector(array(
    select 'certificates/' || new.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', new.number, new.title, new.holder))) word
    where length(word) > 1))
  where w.customer_id = old.customer_id and w.resource = 'certificates' and w.id = old.id;
  return null;
end $$;

create function certificates_log_update() returns trigger language plpgsql as $$
declare former text;
begin
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id then return null; end if;
  insert into change_log (customer_id, resource, record_id)
    values (new.customer_id, 'certificates', new.id);
  -- history
  former := concat_ws(',',
    case when old.number is distinct from new.number then '"number":' || coalesce(to_json(old.number)::text, 'null') end,
    case when old.title is distinct from new.title then '"title":' || coalesce(to_json(old.title)::text, 'null') end,
    case when old.product_id is distinct from new.product_id then '"product_id":' || coalesce(to_json(old.product_id)::text, 'null') end,
    case when old.project_id is distinct from new.project_id then '"project_id":' || coalesce(to_json(old.project_id)::text, 'null') end,
    case when old.approval_id is distinct from new.approval_id then '"approval_id":' || coalesce(to_json(old.approval_id)::text, 'null') end,
    case when old.supersedes_id is distinct from new.supersedes_id then '"supersedes_id":' || coalesce(to_json(old.supersedes_id)::text, 'null') end,
    case when old.country_code is distinct from new.country_code then '"country_code":' || coalesce(to_json(old.country_code)::text, 'null') end,
    case when old.authority is distinct from new.authority then '"authority":' || coalesce(to_json(old.authority)::text, 'null') end,
    case when old.scheme is distinct from new.scheme then '"scheme":' || coalesce(to_json(old.scheme)::text, 'null') end,
    case when old.certificate_type is distinct from new.certificate_type then '"certificate_type":' || coalesce(to_json(old.certificate_type)::text, 'null') end,
    case when old.approval_status is distinct from new.approval_status then '"approval_status":' || coalesce(to_json(old.approval_status)::text, 'null') end,
    case when old.valid_from is distinct from new.valid_from then '"valid_from":' || coalesce(to_json(old.valid_from)::text, 'null') end,
    case when old.valid_until is distinct from new.valid_until then '"valid_until":' || coalesce(to_json(old.valid_until)::text, 'null') end,
    case when old.validity_periods is distinct from new.validity_periods then '"validity_periods":' || coalesce(to_json(old.validity_periods)::text, 'null') end,
    case when old.issued_on is distinct from new.issued_on then '"issued_on":' || coalesce(to_json(old.issued_on)::text, 'null') end,
    case when old.holder is distinct from new.holder then '"holder":' || coalesce(to_json(old.holder)::text, 'null') end,
    case when old.standards is distinct from new.standards then '"standards":' || coalesce(to_json(old.standards)::text, 'null') end,
    case when old.tags is distinct from new.tags then '"tags":' || coalesce(to_json(old.tags)::text, 'null') end,
    case when old.source_url is distinct from new.source_url then '"source_url":' || coalesce(to_json(old.source_url)::text, 'null') end);
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values (new.customer_id, 'certificates', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $$;

create function certificates_log_delete() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select r.customer_id, 'certificates', r.id from old_rows r;
  insert into record_history (customer_id, resource, record_id, position, at)
    select o.customer_id, 'certificates', o.id, coalesce(l.position + 1, 0), o.created_at
    from (select r.* from old_rows r where exists (select from customers c where c.customer_id = r.customer_id)) o
      left join lateral (
      select h.position, h.old = '{}' as is_mark from record_history h
      where h.customer_id = o.customer_id and h.resource = 'certificates' and h.record_id = o.id
        and (h.old ? 'created_at' or h.old = '{}')
      order by h.position desc limit 1) l on true
    where l.is_mark is not true;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    select o.customer_id, 'certificates', o.id, greatest(now(), o.updated_at), o.updated_at,
      jsonb_build_object('created_at', o.created_at, 'number', o.number, 'title', o.title, 'product_id',
        o.product_id, 'project_id', o.project_id, 'approval_id', o.approval_id, 'supersedes_id', o.supersedes_id,
        'country_code', o.country_code, 'authority', o.authority, 'scheme', o.scheme, 'certificate_type',
        o.certificate_type, 'approval_status', o.approval_status, 'valid_from', o.valid_from, 'valid_until',
        o.valid_until, 'validity_periods', o.validity_periods, 'issued_on', o.issued_on, 'holder', o.holder,
        'standards', o.standards, 'tags', o.tags, 'source_url', o.source_url)
    from (select r.* from old_rows r where exists (select from customers c where c.customer_id = r.customer_id)) o;
  return null;
end $$;

create function certificates_log_moved() returns trigger language plpgsql as $$
declare ended record;
begin
  insert into change_log (customer_id, resource, record_id)
    values (old.customer_id, 'certificates', old.id), (new.customer_id, 'certificates', new.id);
  -- history
  select h.position, h.old = '{}' as is_mark into ended from record_history h
    where h.customer_id = old.customer_id and h.resource = 'certificates' and h.record_id = old.id
      and (h.old ? 'created_at' or h.old = '{}')
    order by h.position desc limit 1;
  if ended.is_mark is not true then
    insert into record_history (customer_id, resource, record_id, position, at)
      values (old.customer_id, 'certificates', old.id, coalesce(ended.position + 1, 0), old.created_at);
  end if;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    values (old.customer_id, 'certificates', old.id, greatest(now(), old.updated_at), old.updated_at,
      jsonb_build_object('created_at', old.created_at, 'number', old.number, 'title', old.title, 'product_id',
        old.product_id, 'project_id', old.project_id, 'approval_id', old.approval_id, 'supersedes_id',
        old.supersedes_id, 'country_code', old.country_code, 'authority', old.authority, 'scheme', old.scheme,
        'certificate_type', old.certificate_type, 'approval_status', old.approval_status, 'valid_from',
        old.valid_from, 'valid_until', old.valid_until, 'validity_periods', old.validity_periods, 'issued_on',
        old.issued_on, 'holder', old.holder, 'standards', old.standards, 'tags', old.tags, 'source_url',
        old.source_url));
  if former_end(new.customer_id, 'certificates', new.id) > new.created_at then
    update certificates set created_at = 'infinity' where customer_id = new.customer_id and id = new.id;
  end if;
  -- end
  return null;
end $$;
