import { type Kysely, sql } from 'kysely'

/**
 * Rotation of signing keys, and revoked tokens. As before, the serving role has no rights on the tables and
 * asks through functions.
 *
 * A retiring key is gone a minute after the last token it signed: clocks of instances may differ by less.
 * Keys that signed before this migration may have signed for the longest life there is, a day.
 */
const signingKeys = `
alter table signing_keys
  add column activated_at timestamptz,
  add column retired_at timestamptz,
  add column tokens_until timestamptz;
comment on column signing_keys.tokens_until is 'no token signed with this key is valid for longer';
update signing_keys set activated_at = created_at, tokens_until = now() + interval '1 day'
  where state <> 'next';
update signing_keys set retired_at = now() where state = 'retiring';
create unique index signing_keys_one_next on signing_keys (state) where state = 'next';

create or replace function list_signing_keys()
returns table (kid text, state text, public_jwk jsonb, sealed_private_key bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.kid, s.state, s.public_jwk, s.sealed_private_key from signing_keys s
  where s.state <> 'retiring' or coalesce(s.tokens_until, 'infinity') > now() - interval '1 minute'
  order by s.created_at, s.kid
$$;

create function signing_keys_version() returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(md5(string_agg(kid || ' ' || state, ',' order by kid)), '') from list_signing_keys()
$$;
comment on function signing_keys_version is 'another text whenever list_signing_keys lists others';

create function cover_signing_key(wanted text, until timestamptz) returns boolean
language sql volatile security definer set search_path = public, pg_temp as $$
  update signing_keys set tokens_until = least(until, now() + interval '2 days')
    where kid in (select kid from list_signing_keys() where kid = wanted)
      and coalesce(tokens_until, '-infinity') < least(until, now() + interval '2 days');
  select exists (select from list_signing_keys() where kid = wanted)
$$;
comment on function cover_signing_key is
  'notes how long tokens of this key may live; false: the key is gone and may sign nothing';

revoke execute on function signing_keys_version, cover_signing_key from public;
grant execute on function signing_keys_version, cover_signing_key to certdata_reader;`

/** Rows are needed until a token would have expired anyway; each revocation clears some that are not. */
const revokedTokens = `
create table revoked_tokens (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  key_id text collate "C" not null,
  jti text collate "C" not null check (octet_length(jti) between 1 and 64),
  expires_at timestamptz not null,
  revoked_at timestamptz not null default now(),
  primary key (customer_id, key_id, jti)
);
create index revoked_tokens_expiry on revoked_tokens (expires_at);
alter table revoked_tokens enable row level security;
alter table revoked_tokens force row level security;
create policy operator on revoked_tokens for all to certdata_operator using (true) with check (true);
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

create function revoke_token(customer text, key text, token text, until timestamptz) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  delete from revoked_tokens where ctid = any (array(
    select ctid from revoked_tokens where expires_at < now() - interval '2 minutes'
    limit 100 for update skip locked));
  insert into revoked_tokens (customer_id, key_id, jti, expires_at) values (customer, key, token, until)
    on conflict do nothing
$$;

create function revoke_api_key(customer text, key text) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  update api_keys set revoked_at = now()
  where customer_id = customer and key_id = key and revoked_at is null
$$;

revoke execute on function has_revoked_tokens, is_token_revoked, revoke_token, revoke_api_key from public;
grant execute on function has_revoked_tokens, is_token_revoked, revoke_token, revoke_api_key
  to certdata_reader;`

const apiKeys = `
alter table api_keys add column replaced_by text collate "C";
comment on column api_keys.replaced_by is 'the key that a rotation made in this one''s place';`

/** Gives signing keys their life, from next to gone, API keys their successors, and revoked tokens a table. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql.raw(signingKeys).execute(db)
  await sql.raw(apiKeys).execute(db)
  await sql.raw(revokedTokens).execute(db)
}
