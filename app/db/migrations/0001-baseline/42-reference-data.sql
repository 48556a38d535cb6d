create table reference_data (
  name text primary key,
  digest text not null,
  loaded_at timestamptz not null default now()
);

grant select, insert, update, delete on reference_data to certdata_operator;
