create table used_assertions (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  key_id text collate "C" not null,
  jti_sha256 bytea not null check (octet_length(jti_sha256) = 32),
  expires_at timestamptz not null,
  primary key (customer_id, key_id, jti_sha256)
);
create index used_assertions_expiry on used_assertions (expires_at);

grant select, insert, update, delete on used_assertions to certdata_operator;

create function use_assertion(customer text, key text, jti bytea, until timestamptz) returns boolean
language sql volatile security definer set search_path = public, pg_temp as $$
  delete from used_assertions where ctid = any (array(
    select ctid from used_assertions where expires_at < now() - interval '2 minutes'
    limit 100 for update skip locked));
  with used as (
    insert into used_assertions (customer_id, key_id, jti_sha256, expires_at) values (customer, key, jti, until)
    on conflict do nothing returning 1)
  select exists (select from used)
$$;
comment on function use_assertion is 'false: the assertion was used before';

grant execute on function use_assertion to certdata_reader;
