create table revoked_tokens (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  key_id text collate "C" not null,
  jti text collate "C" not null check (octet_length(jti) between 1 and 64),
  expires_at timestamptz not null,
  revoked_at timestamptz not null default now(),
  primary key (customer_id, key_id, jti)
);
create index revoked_tokens_expiry on revoked_tokens (expires_at);

grant select, insert, update, delete on revoked_tokens to certdata_operator;

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

grant execute on function has_revoked_tokens, is_token_revoked, revoke_token to certdata_reader;
