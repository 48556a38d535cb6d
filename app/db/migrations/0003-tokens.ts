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
comment on column signing_keys.tokens_until is 'no token signed with this key is good for longer';
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

const apiKeys = `
alter table api_keys add column replaced_by text collate "C";
comment on column api_keys.replaced_by is 'the key that a rotation made in this one''s place';`

/** Gives signing keys their life, from next to gone, and API keys their successors. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql.raw(signingKeys).execute(db)
  await sql.raw(apiKeys).execute(db)
}
