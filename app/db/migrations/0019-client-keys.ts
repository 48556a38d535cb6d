import { type Kysely, sql } from 'kysely'

/**
 * Networks that a key may be used from, and clients that prove who they are with a signature (RFC 7523). A client is
 * a key whose secret nobody knows.
 */
const columns = `
alter table api_keys
  add column networks cidr[],
  add column client_jwks jsonb,
  add column jwks_uri text,
  add constraint api_keys_networks check (cardinality(networks) between 1 and 100),
  add constraint api_keys_one_proof check (client_jwks is null or jwks_uri is null);
comment on column api_keys.networks is 'null = every address';
comment on column api_keys.client_jwks is 'public keys of a client that signs assertions (RFC 7517)';
comment on column api_keys.jwks_uri is 'where a client publishes these keys';`

/** The function returns more columns than before. Earlier releases name the columns that they read. */
const find = `
drop function find_api_key(text);
create function find_api_key(wanted text)
returns table (customer_id text, key_id text, secret_sha256 bytea, scopes text[], expires_at timestamptz,
  revoked_at timestamptz, last_used_on date, plan text, suspended_at timestamptz, expiring_within integer,
  networks text[], client_jwks text, jwks_uri text)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.customer_id, k.key_id, k.secret_sha256, k.scopes, k.expires_at, k.revoked_at, k.last_used_on,
    c.plan, c.suspended_at, c.expiring_within, k.networks::text[], k.client_jwks::text, k.jwks_uri
  from api_keys k join customers c on c.customer_id = k.customer_id
  where k.key_id = wanted
$$;
revoke execute on function find_api_key from public;
grant execute on function find_api_key to certdata_reader;`

/** An assertion counts once. Its row is needed until it would have expired; each use clears some that are not. */
const assertions = `
create table used_assertions (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  key_id text collate "C" not null,
  jti_sha256 bytea not null check (octet_length(jti_sha256) = 32),
  expires_at timestamptz not null,
  primary key (customer_id, key_id, jti_sha256)
);
create index used_assertions_expiry on used_assertions (expires_at);
alter table used_assertions enable row level security;
alter table used_assertions force row level security;
create policy operator on used_assertions for all to certdata_operator using (true) with check (true);
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
comment on function use_assertion is 'false: the assertion was used before';`

/** What a client's jwks_uri said last. All instances together ask once a minute. */
const keySets = `
create table client_key_sets (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  key_id text collate "C" not null,
  jwks_uri text not null,
  jwks jsonb,
  asked_at timestamptz not null default now(),
  read_at timestamptz,
  primary key (customer_id, key_id)
);
alter table client_key_sets enable row level security;
alter table client_key_sets force row level security;
create policy operator on client_key_sets for all to certdata_operator using (true) with check (true);
grant select, insert, update, delete on client_key_sets to certdata_operator;

create function take_key_set(customer text, key text, uri text)
returns table (is_due boolean, jwks text, age_seconds float8)
language sql volatile security definer set search_path = public, pg_temp as $$
  with claimed as (
    insert into client_key_sets as s (customer_id, key_id, jwks_uri)
    select customer, key, uri from api_keys k where k.customer_id = customer and k.key_id = key
    on conflict (customer_id, key_id) do update set asked_at = now(), jwks_uri = uri,
      jwks = case when s.jwks_uri = uri then s.jwks end
      where s.jwks_uri <> uri or s.asked_at <= now() - interval '1 minute'
    returning 1)
  select exists (select from claimed), s.jwks::text, extract(epoch from now() - s.read_at)::float8
  from (select) one
  left join client_key_sets s on s.customer_id = customer and s.key_id = key and s.jwks_uri = uri
$$;
comment on function take_key_set is 'the keys read last; is_due: the caller is to read them again';

create function keep_key_set(customer text, key text, uri text, said jsonb) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  update client_key_sets set jwks = said, read_at = now()
  where customer_id = customer and key_id = key and jwks_uri = uri
$$;

revoke execute on function use_assertion, take_key_set, keep_key_set from public;
grant execute on function use_assertion, take_key_set, keep_key_set to certdata_reader;`

/** Lets a key have networks and a client public keys, and remembers the assertions that were used. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [columns, find, assertions, keySets]) await sql.raw(statement).execute(db)
}
