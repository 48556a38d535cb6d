create table approvals (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,64}$' and id !~ '^[.]+$'),
  product_id text collate "C" not null,
  country_code text collate "C" not null,
  scheme text collate "C" not null,
  project_id text collate "C",
  certificate_id text collate "C",
  status text collate "C" not null
    check (status in ('planned', 'preparing', 'testing', 'submitted', 'in_review', 'information_requested',
      'on_hold', 'granted', 'rejected', 'cancelled', 'not_required')) default 'planned',
  phase text collate "C" check (phase in ('initial', 'renewal', 'modification')),
  requested_on calendar_date,
  requested_on_sort date not null,
  submitted_on calendar_date,
  decided_on calendar_date,
  expected_on calendar_date,
  expected_on_sort date not null,
  tags text[] collate "C" not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_xid xid8,
  primary key (customer_id, id),
  constraint approvals_tags_list check (case when array_ndims(tags) > 1 then false
    else coalesce(array_lower(tags, 1), 1) = 1 and array_position(tags, null) is null end)
);
create index approvals_expected_on on approvals (customer_id, expected_on_sort, id);
create index approvals_requested_on on approvals (customer_id, requested_on_sort, id);
create index approvals_submitted_on on approvals (customer_id, submitted_on) where submitted_on is not null;
create index approvals_decided_on on approvals (customer_id, decided_on) where decided_on is not null;
create index approvals_updated_at on approvals (customer_id, updated_at, id);
create index approvals_created_at on approvals (customer_id, created_at, id);
create index approvals_product_id on approvals (customer_id, product_id);
create index approvals_country_code on approvals (customer_id, country_code);
create index approvals_project_id on approvals (customer_id, project_id) where project_id is not null;
create index approvals_certificate_id on approvals (customer_id, certificate_id) where certificate_id is not null;
create index approvals_status on approvals (customer_id, status);

create function approvals_before() returns trigger language plpgsql as $$
begin
  new.requested_on_sort := coalesce(new.requested_on, 'infinity');
  new.expected_on_sort := coalesce(new.expected_on,
    'infinity');
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
      new.created_at := greatest(old.created_at, former_end(new.customer_id, 'approvals', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if new is not distinct from old then return null; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $$;

create function approvals_elements_insert() returns trigger language plpgsql as $$
begin
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'approvals', n.field, n.value, n.id from
      (select r.customer_id, 'tags' as field, v as value, r.id from new_rows r, unnest(r.tags) v) n on conflict do nothing;
  return null;
end $$;

create function approvals_elements_update() returns trigger language plpgsql as $$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id
    or old.tags is distinct from new.tags) then return null; end if;
  delete from elements e using
    ((select old.customer_id, 'tags' as field, v as value, old.id from unnest(old.tags) v)
    except
    (select new.customer_id, 'tags' as field, v as value, new.id from unnest(new.tags) v)) g
    where e.customer_id = g.customer_id and e.resource = 'approvals' and e.field = g.field and e.value = g.value
      and e.id = g.id;
  insert into elements (customer_id, resource, field, value, id)
    select n.customer_id, 'approvals', n.field, n.value, n.id from
      ((select new.customer_id, 'tags' as field, v as value, new.id from unnest(new.tags) v)
      except
      (select old.customer_id, 'tags' as field, v as value, old.id from unnest(old.tags) v)) n on conflict do nothing;
  return null;
end $$;

create function approvals_elements_delete() returns trigger language plpgsql as $$
begin
  delete from elements e using
      (select r.customer_id, 'tags' as field, v as value, r.id from old_rows r, unnest(r.tags) v) g
    where e.customer_id = g.customer_id and e.resource = 'approvals' and e.field = g.field
      and e.value = g.value and e.id = g.id;
  return null;
end $$;

create function approvals_words_insert() returns trigger language plpgsql as $$
begin
  insert into record_words
  select r.customer_id, 'approvals', r.id, array_to_tsvector(array(
    select 'approvals/' || r.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', r.scheme, r.product_id, r.certificate_id))) word
    where length(word) > 1))
  from new_rows r;
  return null;
end $$;

create function approvals_words_update() returns trigger language plpgsql as $$
begin
  if not (old.customer_id is distinct from new.customer_id or old.id is distinct from new.id
    or old.scheme is distinct from new.scheme or old.product_id is distinct from new.product_id
    or old.certificate_id is distinct from new.certificate_id) then return null; end if;
  update record_words w set customer_id = new.customer_id, id = new.id, words = array_to_tsvector(array(
    select 'approvals/' || new.customer_id || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', new.scheme, new.product_id, new.certificate_id))) word
    where length(word) > 1))
  where w.customer_id = old.customer_id and w.resource = 'approvals' and w.id = old.id;
  return null;
end $$;

create function approvals_log_update() returns trigger language plpgsql as $$
declare former text;
begin
  if old.customer_id is distinct from new.customer_id or old.id is distinct from new.id then return null; end if;
  insert into change_log (customer_id, resource, record_id)
    values (new.customer_id, 'approvals', new.id);
  -- history
  former := concat_ws(',',
    case when old.product_id is distinct from new.product_id then '"product_id":' || coalesce(to_json(old.product_id)::text, 'null') end,
    case when old.country_code is distinct from new.country_code then '"country_code":' || coalesce(to_json(old.country_code)::text, 'null') end,
    case when old.scheme is distinct from new.scheme then '"scheme":' || coalesce(to_json(old.scheme)::text, 'null') end,
    case when old.project_id is distinct from new.project_id then '"project_id":' || coalesce(to_json(old.project_id)::text, 'null') end,
    case when old.certificate_id is distinct from new.certificate_id then '"certificate_id":' || coalesce(to_json(old.certificate_id)::text, 'null') end,
    case when old.status is distinct from new.status then '"status":' || coalesce(to_json(old.status)::text, 'null') end,
    case when old.phase is distinct from new.phase then '"phase":' || coalesce(to_json(old.phase)::text, 'null') end,
    case when old.requested_on is distinct from new.requested_on then '"requested_on":' || coalesce(to_json(old.requested_on)::text, 'null') end,
    case when old.submitted_on is distinct from new.submitted_on then '"submitted_on":' || coalesce(to_json(old.submitted_on)::text, 'null') end,
    case when old.decided_on is distinct from new.decided_on then '"decided_on":' || coalesce(to_json(old.decided_on)::text, 'null') end,
    case when old.expected_on is distinct from new.expected_on then '"expected_on":' || coalesce(to_json(old.expected_on)::text, 'null') end,
    case when old.tags is distinct from new.tags then '"tags":' || coalesce(to_json(old.tags)::text, 'null') end);
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values (new.customer_id, 'approvals', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $$;

create function approvals_log_delete() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select r.customer_id, 'approvals', r.id from old_rows r;
  insert into record_history (customer_id, resource, record_id, position, at)
    select o.customer_id, 'approvals', o.id, coalesce(l.position + 1, 0), o.created_at
    from (select r.* from old_rows r where exists (select from customers c where c.customer_id = r.customer_id)) o
      left join lateral (
      select h.position, h.old = '{}' as is_mark from record_history h
      where h.customer_id = o.customer_id and h.resource = 'approvals' and h.record_id = o.id
        and (h.old ? 'created_at' or h.old = '{}')
      order by h.position desc limit 1) l on true
    where l.is_mark is not true;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    select o.customer_id, 'approvals', o.id, greatest(now(), o.updated_at), o.updated_at,
      jsonb_build_object('created_at', o.created_at, 'product_id', o.product_id, 'country_code', o.country_code,
        'scheme', o.scheme, 'project_id', o.project_id, 'certificate_id', o.certificate_id, 'status', o.status,
        'phase', o.phase, 'requested_on', o.requested_on, 'submitted_on', o.submitted_on, 'decided_on',
        o.decided_on, 'expected_on', o.expected_on, 'tags', o.tags)
    from (select r.* from old_rows r where exists (select from customers c where c.customer_id = r.customer_id)) o;
  return null;
end $$;

create function approvals_log_moved() returns trigger language plpgsql as $$
declare ended record;
begin
  insert into change_log (customer_id, resource, record_id)
    values (old.customer_id, 'approvals', old.id), (new.customer_id, 'approvals', new.id);
  -- history
  select h.position, h.old = '{}' as is_mark into ended from record_history h
    where h.customer_id = old.customer_id and h.resource = 'approvals' and h.record_id = old.id
      and (h.old ? 'created_at' or h.old = '{}')
    order by h.position desc limit 1;
  if ended.is_mark is not true then
    insert into record_history (customer_id, resource, record_id, position, at)
      values (old.customer_id, 'approvals', old.id, coalesce(ended.position + 1, 0), old.created_at);
  end if;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    values (old.customer_id, 'approvals', old.id, greatest(now(), old.updated_at), old.updated_at,
      jsonb_build_object('created_at', old.created_at, 'product_id', old.product_id, 'country_code',
        old.country_code, 'scheme', old.scheme, 'project_id', old.project_id, 'certificate_id', old.certificate_id,
        'status', old.status, 'phase', old.phase, 'requested_on', old.requested_on, 'submitted_on',
        old.submitted_on, 'decided_on', old.decided_on, 'expected_on', old.expected_on, 'tags', old.tags));
  if former_end(new.customer_id, 'approvals', new.id) > new.created_at then
    update approvals set created_at = 'infinity' where customer_id = new.customer_id and id = new.id;
  end if;
  -- end
  return null;
end $$;
