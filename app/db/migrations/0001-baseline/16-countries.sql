-- Answers have the attributes in this order.
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
  constraint countries_blocs_list check (is_list(blocs)),
  constraint countries_sources_list check (is_list(sources))
);

select pg_temp.add_record_table('countries', null, 'r.code, r.alpha3, r.name,
      (select string_agg(concat_ws('' '', a.name, a.abbreviation), '' '') from unnest(r.authorities) a)');
