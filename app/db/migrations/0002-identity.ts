import { type Kysely, sql } from 'kysely'

/**
 * API keys and signing keys. The serving role has no rights on these tables: it reads them through
 * functions that answer one question each, because a key must be found before its customer is known.
 */
const statements = `
create table api_keys (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  key_id text collate "C" not null check (key_id ~ '^[a-z0-9]{1,32}$'),
  secret_sha256 bytea not null check (octet_length(secret_sha256) = 32),
  scopes text[] collate "C",
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_on date,
  created_at timestamptz not null default now(),
  primary key (customer_id, key_id),
  unique (key_id)
);
comment on column api_keys.scopes is 'null = every scope, those of later resources included';

create table signing_keys (
  kid text collate "C" primary key,
  state text not null check (state in ('next', 'active', 'retiring')),
  public_jwk jsonb not null,
  sealed_private_key bytea not null,
  created_at timestamptz not null default now()
);
create unique index signing_keys_one_active on signing_keys (state) where state = 'active';

create table reference_data (
  name text primary key,
  digest text not null,
  loaded_at timestamptz not null default now()
);

alter table api_keys enable row level security;
alter table api_keys force row level security;
create policy operator on api_keys for all to certdata_operator using (true) with check (true);
grant select, insert, update, delete on api_keys, signing_keys, reference_data to certdata_operator;

create function find_api_key(wanted text)
returns table (customer_id text, key_id text, secret_sha256 bytea, scopes text[], expires_at timestamptz,
  revoked_at timestamptz, last_used_on date, plan text, suspended_at timestamptz, expiring_within integer)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.customer_id, k.key_id, k.secret_sha256, k.scopes, k.expires_at, k.revoked_at, k.last_used_on,
    c.plan, c.suspended_at, c.expiring_within
  from api_keys k join customers c on c.customer_id = k.customer_id
  where k.key_id = wanted
$$;

create function find_customer(wanted text)
returns table (customer_id text, plan text, suspended_at timestamptz, expiring_within integer)
language sql stable security definer set search_path = public, pg_temp as $$
  select c.customer_id, c.plan, c.suspended_at, c.expiring_within
  from customers c where c.customer_id = wanted
$$;

create function mark_api_key_used(wanted text) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  update api_keys set last_used_on = (now() at time zone 'UTC')::date
  where key_id = wanted and last_used_on is distinct from (now() at time zone 'UTC')::date
$$;

create function list_signing_keys()
returns table (kid text, state text, public_jwk jsonb, sealed_private_key bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.kid, s.state, s.public_jwk, s.sealed_private_key from signing_keys s order by s.created_at, s.kid
$$;

revoke execute on function find_api_key, find_customer, mark_api_key_used, list_signing_keys from public;
grant execute on function find_api_key, find_customer, mark_api_key_used, list_signing_keys
  to certdata_reader;`

/** Creates the tables of keys and the functions by which the serving role sees them. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql.raw(statements).execute(db)
}
