-- Answers have the members in this order.
create type authority as (name text, abbreviation text, domain text, role text);
create type approval_term as (kind text, years integer);
create type weeks as (min integer, max integer);
create type country_requirements as (
  schemes text[],
  in_country_testing text,
  local_representative text,
  validity approval_term,
  lead_time_weeks weeks,
  note text
);

create table countries (
  id text collate "C" primary key check (id ~ '^[A-Z]{2}$'),
  code text collate "C" not null check (code = id),
  alpha3 text collate "C" not null check (alpha3 ~ '^[A-Z]{3}$'),
  name text collate "C" not null,
  region text collate "C" not null
    check (region in ('europe', 'americas', 'asia_pacific', 'middle_east_africa', 'cis')),
  blocs text[] collate "C" not null default '{}',
  authorities authority[] not null default '{}',
  requirements country_requirements not null,
  sources text[] collate "C" not null default '{}',
  confidence text collate "C" not null check (confidence in ('high', 'medium', 'low')) default 'low',
  reviewed_on calendar_date,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  created_xid xid8,
  constraint countries_blocs_list check (case when array_ndims(blocs) > 1 then false
    else coalesce(array_lower(blocs, 1), 1) = 1 and array_position(blocs, null) is null end),
  constraint countries_sources_list check (case when array_ndims(sources) > 1 then false
    else coalesce(array_lower(sources, 1), 1) = 1 and array_position(sources, null) is null end)
);

create function countries_before() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.created_at := now();
    new.updated_at := now();
    new.created_xid := pg_current_xact_id();
    return new;
  end if;
  if old.id is distinct from new.id then
    new.created_at := greatest(now(), old.updated_at);
    new.created_xid := pg_current_xact_id();
  else
    new.created_xid := old.created_xid;
    if old.created_at is distinct from new.created_at then
      new.created_at := greatest(old.created_at, former_end('*', 'countries', new.id));
    end if;
  end if;
  new.updated_at := old.updated_at;
  if new is not distinct from old then return null; end if;
  new.updated_at := greatest(now(), old.updated_at, new.created_at);
  return new;
end $$;

create function countries_words_insert() returns trigger language plpgsql as $$
begin
  insert into record_words
  select '*', 'countries', r.id, array_to_tsvector(array(
    select 'countries/' || '*' || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', r.code, r.alpha3, r.name,
      (select string_agg(concat_ws(' ', a.name, a.abbreviation), ' ') from unnest(r.authorities) a)))) word
    where length(word) > 1))
  from new_rows r;
  return null;
end $$;

create function countries_words_update() returns trigger language plpgsql as $$
begin
  if not (old.id is distinct from new.id or old.code is distinct from new.code
    or old.alpha3 is distinct from new.alpha3 or old.name is distinct from new.name
    or old.authorities is distinct from new.authorities) then return null; end if;
  update record_words w set customer_id = '*', id = new.id, words = array_to_tsvector(array(
    select 'countries/' || '*' || '/' || left(word, 100)
    from unnest(fold_words(concat_ws(' ', new.code, new.alpha3, new.name,
      (select string_agg(concat_ws(' ', a.name, a.abbreviation), ' ') from unnest(new.authorities) a)))) word
    where length(word) > 1))
  where w.customer_id = '*' and w.resource = 'countries' and w.id = old.id;
  return null;
end $$;

create function countries_log_update() returns trigger language plpgsql as $$
declare former text;
begin
  if old.id is distinct from new.id then return null; end if;
  insert into change_log (customer_id, resource, record_id)
    values ('*', 'countries', new.id);
  -- history
  former := concat_ws(',',
    case when old.code is distinct from new.code then '"code":' || coalesce(to_json(old.code)::text, 'null') end,
    case when old.alpha3 is distinct from new.alpha3 then '"alpha3":' || coalesce(to_json(old.alpha3)::text, 'null') end,
    case when old.name is distinct from new.name then '"name":' || coalesce(to_json(old.name)::text, 'null') end,
    case when old.region is distinct from new.region then '"region":' || coalesce(to_json(old.region)::text, 'null') end,
    case when old.blocs is distinct from new.blocs then '"blocs":' || coalesce(to_json(old.blocs)::text, 'null') end,
    case when old.authorities is distinct from new.authorities then '"authorities":' || coalesce(to_json(old.authorities)::text, 'null') end,
    case when old.requirements is distinct from new.requirements then '"requirements":' || coalesce(to_json(old.requirements)::text, 'null') end,
    case when old.sources is distinct from new.sources then '"sources":' || coalesce(to_json(old.sources)::text, 'null') end,
    case when old.confidence is distinct from new.confidence then '"confidence":' || coalesce(to_json(old.confidence)::text, 'null') end,
    case when old.reviewed_on is distinct from new.reviewed_on then '"reviewed_on":' || coalesce(to_json(old.reviewed_on)::text, 'null') end);
  if former <> '' then
    insert into record_history (customer_id, resource, record_id, at, since, old)
      values ('*', 'countries', new.id, new.updated_at, old.updated_at, ('{' || former || '}')::jsonb);
  end if;
  -- end
  return null;
end $$;

create function countries_log_delete() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    select '*', 'countries', r.id from old_rows r;
  insert into record_history (customer_id, resource, record_id, position, at)
    select '*', 'countries', o.id, coalesce(l.position + 1, 0), o.created_at
    from old_rows o left join lateral (
      select h.position, h.old = '{}' as is_mark from record_history h
      where h.customer_id = '*' and h.resource = 'countries' and h.record_id = o.id
        and (h.old ? 'created_at' or h.old = '{}')
      order by h.position desc limit 1) l on true
    where l.is_mark is not true;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    select '*', 'countries', o.id, greatest(now(), o.updated_at), o.updated_at,
      jsonb_build_object('created_at', o.created_at, 'code', o.code, 'alpha3', o.alpha3, 'name', o.name, 'region',
        o.region, 'blocs', o.blocs, 'authorities', o.authorities, 'requirements', o.requirements, 'sources',
        o.sources, 'confidence', o.confidence, 'reviewed_on', o.reviewed_on)
    from old_rows o;
  return null;
end $$;

create function countries_log_moved() returns trigger language plpgsql as $$
declare ended record;
begin
  insert into change_log (customer_id, resource, record_id)
    values ('*', 'countries', old.id), ('*', 'countries', new.id);
  -- history
  select h.position, h.old = '{}' as is_mark into ended from record_history h
    where h.customer_id = '*' and h.resource = 'countries' and h.record_id = old.id
      and (h.old ? 'created_at' or h.old = '{}')
    order by h.position desc limit 1;
  if ended.is_mark is not true then
    insert into record_history (customer_id, resource, record_id, position, at)
      values ('*', 'countries', old.id, coalesce(ended.position + 1, 0), old.created_at);
  end if;
  insert into record_history (customer_id, resource, record_id, at, since, old)
    values ('*', 'countries', old.id, greatest(now(), old.updated_at), old.updated_at,
      jsonb_build_object('created_at', old.created_at, 'code', old.code, 'alpha3', old.alpha3, 'name', old.name,
        'region', old.region, 'blocs', old.blocs, 'authorities', old.authorities, 'requirements', old.requirements,
        'sources', old.sources, 'confidence', old.confidence, 'reviewed_on', old.reviewed_on));
  if former_end('*', 'countries', new.id) > new.created_at then
    update countries set created_at = 'infinity' where id = new.id;
  end if;
  -- end
  return null;
end $$;
