create table lab (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,64}$' and id !~ '^[.]+$'),
  report_number text collate "C" not null check (octet_length(report_number) <= 2000),
  title text collate "C" not null,
  test_type text collate "C"
    check (test_type in ('radio', 'emc', 'safety', 'sar', 'environmental', 'protocol', 'cybersecurity',
      'energy')),
  standards text[] collate "C" not null default '{}',
  status text collate "C" not null
    check (status in ('planned', 'in_testing', 'draft', 'issued', 'superseded', 'withdrawn', 'cancelled')),
  result text collate "C" check (result in ('pass', 'fail', 'pass_with_deviation', 'inconclusive')),
  laboratory text collate "C",
  laboratory_country_code text collate "C",
  product_id text collate "C",
  project_id text collate "C",
  certificate_id text collate "C",
  supersedes_id text collate "C",
  tested_from calendar_date,
  tested_until calendar_date,
  issued_on calendar_date,
  issued_on_sort date not null,
  revision integer not null default 1,
  document_url text collate "C",
  tags text[] collate "C" not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_xid xid8,
  primary key (customer_id, id),
  constraint lab_standards_list check (case when array_ndims(standards) > 1 then false
    else coalesce(array_lower(standards, 1), 1) = 1 and array_position(standards, null) is null end),
  constraint lab_tags_list check (case when array_ndims(tags) > 1 then false
    else coalesce(array_lower(tags, 1), 1) = 1 and array_position(tags, null) is null end)
);
create index lab_issued_on on lab (customer_id, issued_on_sort, id);
create index lab_report_number on lab (customer_id, report_number, id);
create index lab_updated_at on lab (customer_id, updated_at, id);
create index lab_created_at on lab (customer_id, created_at, id);
create index lab_product_id on lab (customer_id, product_id) where product_id is not null;
create index lab_project_id on lab (customer_id, project_id) where project_id is not null;
create index lab_certificate_id on lab (customer_id, certificate_id) where certificate_id is not null;

create function lab_before() returns trigger language plpgsql as $$
begin
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
      new.created_at := greatest(old.created_at, former_end(new.customer_id, 'lab', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if new is not distinct from old then return null; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $$;

create function lab_elements_insert() returns trigger language plpgsql as $$
begin
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'lab', n.field, n.value, n.id from
      (select r.customer_id, 'standards' as field, v as value, r.id from new_rows r, unnest(r.standards) v
      union
      select r.customer_id, 'tags' as field, v as value, r.id from new_rows r, unnest(r.tags) v) n on conflict do nothing;
  return null;
end $$;

create function lab_elements_update() returns trigger language plpgsql as $$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id
    or old.standards is distinct from new.standards or old.tags is distinct from new.tags) then return null; end if;
  delete from elements e using
    ((select old.customer_id, 'standards' as field, v as value, old.id from unnest(old.standards) v
    union select old.customer_id, 'tags' as field, v as value, old.id from unnest(old.tags) v)
    except
    (select new.customer_id, 'standards' as field, v as value, new.id from unnest(new.standards) v
    union select new.customer_id, 'tags' as field, v as value, new.id from unnest(new.tags) v)) g
    where e.customer_id = g.customer_id and e.resource = 'lab' and e.field = g.field and e.value = g.value
      and e.id = g.id;
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'lab', n.field, n.value, n.id from
      ((select new.customer_id, 'standards' as field, v as value, new.id from unnest(new.standards) v
      union select new.customer_id, 'tags' as field, v as value, new.id from unnest(new.tags) v)
      except
      (select old.customer_id, 'standards' as field, v as value, old.id from unnest(old.standards) v
      union
      select old.customer_id, 'tags' as field, v as value, old.id from unnest(old.tags) v)) n on conflict do nothing;
  return null;
end $$;

create function lab_elements_delete() returns trigger language plpgsql as $$
begin
  delete from elements e using
      (select r.customer_id, 'standards' as field, v as value, r.id from old_rows r, unnest(r.standards) v
      union select r.customer_id, 'tags' as field, v as value, r.id from old_rows r, unnest(r.tags) v) g
    where e.customer_id = g.customer_id and e.resource = 'lab' and e.field = g.field and e.value = g.value and e.id = g.id;
  return null;
end $$;

create function lab_words_insert() returns trigger language plpgsql as $$
begin
  insert into record_words
  select r.customer_id, 'lab', r.id, array_to_tsvector(array(
    select 'lab/' || r.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', r.report_number, r.title, r.laboratory))) word
    where length(word) > 1))
  from new_rows r;
  return null;
end $$;

create function lab_words_update() returns trigger language plpgsql as $$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id
    or old.report_number is distinct from new.report_number or old.title is distinct from new.title
    or old.laboratory is distinct from new.laboratory) then return null; end if;
  update record_words w set customer_id = new.customer_id, id = new.id, words = array_to_tsvector(array(
    select 'lab/' || new.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', new.report_number, new.title, new.laboratory))) word
    where length(word) > 1))
  where w.customer_id = old.customer_id and w.resource = 'lab' and w.id = old.id;
  return null;
end $$;

create function lab_log_update() returns trigger language plpgsql as $$
declare former text;
begin
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id then return null; end if;
  insert into change_log (customer_id, resource, record_id)
    values (new.customer_id, 'lab', new.id);
  -- history
  former := concat_ws(',',
    case when old.report_number is distinct from new.report_number then '"report_number":' || coalesce(to_json(old.report_number)::text, 'null') end,
    case when old.title is distinct from new.title then '"title":' || coalesce(to_json(old.title)::text, 'null') end,
    case when old.test_type is distinct from new.test_type then '"test_type":' || coalesce(to_json(old.test_type)::text, 'null') end,
    case when old.standards is distinct from new.standards then '"standards":' || coalesce(to_json(old.standards)::text, 'null') end,
    case when old.status is distinct from new.status then '"status":' || coalesce(to_json(old.status)::text, 'null') end,
    case when old.result is distinct from new.result then '"result":' || coalesce(to_json(old.result)::text, 'null') end,
    case when old.laboratory is distinct from new.laboratory then '"laboratory":' || coalesce(to_json(old.laboratory)::text, 'null') end,
    case when old.laboratory_country_code is distinct from new.laboratory_country_code then '"laboratory_country_code":' || coalesce(to_json(old.laboratory_country_code)::text, 'null') end,
    case when old.product_id is distinct from new.product_id then '"product_id":' || coalesce(to_json(old.product_id)::text, 'null') end,
    case when old.project_id is distinct from new.project_id then '"project_id":' || coalesce(to_json(old.project_id)::text, 'null') end,
    case when old.certificate_id is distinct from new.certificate_id then '"certificate_id":' || coalesce(to_json(old.certificate_id)::text, 'null') end,
    case when old.supersedes_id is distinct from new.supersedes_id then '"supersedes_id":' || coalesce(to_json(old.supersedes_id)::text, 'null') end,
    case when old.tested_from is distinct from new.tested_from then '"tested_from":' || coalesce(to_json(old.tested_from)::text, 'null') end,
    case when old.tested_until is distinct from new.tested_until then '"tested_until":' || coalesce(to_json(old.tested_until)::text, 'null') end,
    case when old.issued_on is distinct from new.issued_on then '"issued_on":' || coalesce(to_json(old.issued_on)::text, 'null') end,
    case when old.revision is distinct from new.revision then '"revision":' || coalesce(to_json(old.revision)::text, 'null') end,
    case when old.document_url is distinct from new.document_url then '"document_url":' || coalesce(to_json(old.document_url)::text, 'null') end,
    case when old.tags is distinct from new.tags then '"tags":' || coalesce(to_json(old.tags)::text, 'null') end);
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values (new.customer_id, 'lab', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $$;

create function lab_log_delete() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select r.customer_id, 'lab', r.id from old_rows r;
  insert into record_history (customer_id, resource, record_id, position, at)
    select o.customer_id, 'lab', o.id, coalesce(l.position + 1, 0), o.created_at
    from (select r.* from old_rows r where exists (select from customers c where c.customer_id = r.customer_id)) o
      left join lateral (
      select h.position, h.old = '{}' as is_mark from record_history h
      where h.customer_id = o.customer_id and h.resource = 'lab' and h.record_id = o.id
        and (h.old ? 'created_at' or h.old = '{}')
      order by h.position desc limit 1) l on true
    where l.is_mark is not true;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    select o.customer_id, 'lab', o.id, greatest(now(), o.updated_at), o.updated_at,
      jsonb_build_object('created_at', o.created_at, 'report_number', o.report_number, 'title', o.title,
        'test_type', o.test_type, 'standards', o.standards, 'status', o.status, 'result', o.result, 'laboratory',
        o.laboratory, 'laboratory_country_code', o.laboratory_country_code, 'product_id', o.product_id,
        'project_id', o.project_id, 'certificate_id', o.certificate_id, 'supersedes_id', o.supersedes_id,
        'tested_from', o.tested_from, 'tested_until', o.tested_until, 'issued_on', o.issued_on, 'revision',
        o.revision, 'document_url', o.document_url, 'tags', o.tags)
    from (select r.* from old_rows r where exists (select from customers c where c.customer_id = r.customer_id)) o;
  return null;
end $$;

create function lab_log_moved() returns trigger language plpgsql as $$
declare ended record;
begin
  insert into change_log (customer_id, resource, record_id)
    values (old.customer_id, 'lab', old.id), (new.customer_id, 'lab', new.id);
  -- history
  select h.position, h.old = '{}' as is_mark into ended from record_history h
    where h.customer_id = old.customer_id and h.resource = 'lab' and h.record_id = old.id
      and (h.old ? 'created_at' or h.old = '{}')
    order by h.position desc limit 1;
  if ended.is_mark is not true then
    insert into record_history (customer_id, resource, record_id, position, at)
      values (old.customer_id, 'lab', old.id, coalesce(ended.position + 1, 0), old.created_at);
  end if;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    values (old.customer_id, 'lab', old.id, greatest(now(), old.updated_at), old.updated_at,
      jsonb_build_object('created_at', old.created_at, 'report_number', old.report_number, 'title', old.title,
        'test_type', old.test_type, 'standards', old.standards, 'status', old.status, 'result', old.result,
        'laboratory', old.laboratory, 'laboratory_country_code', old.laboratory_country_code, 'product_id',
        old.product_id, 'project_id', old.project_id, 'certificate_id', old.certificate_id, 'supersedes_id',
        old.supersedes_id, 'tested_from', old.tested_from, 'tested_until', old.tested_until, 'issued_on',
        old.issued_on, 'revision', old.revision, 'document_url', old.document_url, 'tags', old.tags));
  if former_end(new.customer_id, 'lab', new.id) > new.created_at then
    update lab set created_at = 'infinity' where customer_id = new.customer_id and id = new.id;
  end if;
  -- end
  return null;
end $$;
