create table revoked_tokens (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  key_id text collate "C" not null,
  jti text collate "C" not null check (octet_length(jti) between 1 and 64),
  expires_at timestamptz not null,
  revoked_at timestamptz not null default now(),
  primary key (customer_id, key_id, jti)
);
create index revoked_tokens_expiry on revoked_tokens (expires_at);

create table used_assertions (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  key_id text collate "C" not null,
  jti_sha256 bytea not null check (octet_length(jti_sha256) = 32),
  expires_at timestamptz not null,
  primary key (customer_id, key_id, jti_sha256)
);
create index used_assertions_expiry on used_assertions (expires_at);

grant select, insert, update, delete on revoked_tokens, used_assertions to certdata_operator;

create function has_revoked_tokens(customer text, key text) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from revoked_tokens r where r.customer_id = customer and r.key_id = key
    and r.expires_at > now() - interval '1 minute')
$$;

create function is_token_revoked(customer text, key text, token text) returns boolean
language sql stable security definer set search_path = public, pg_temp as $$
  select exists (select from revoked_tokens r
    where r.customer_id = customer and r.key_id = key and r.jti = token)
$$;

-- Also deletes some rows of expired tokens.
create function revoke_token(customer text, key text, token text, until timestamptz) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  delete from revoked_tokens where ctid = any (array(
    select ctid from revoked_tokens where expires_at < now() - interval '2 minutes'
    limit 100 for update skip locked));
  insert into revoked_tokens (customer_id, key_id, jti, expires_at) values (customer, key, token, until)
    on conflict do nothing
$$;

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

grant execute on function has_revoked_tokens, is_token_revoked, revoke_token, use_assertion
  to certdata_reader;
