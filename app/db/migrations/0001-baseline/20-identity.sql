-- certdata_reader has no rights on these tables, only on functions, because a key is looked up before its customer is
-- known.
create table api_keys (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  key_id text collate "C" not null check (key_id ~ '^[a-z0-9]{1,32}$'),
  secret_sha256 bytea not null check (octet_length(secret_sha256) = 32),
  scopes text[] collate "C",
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_on date,
  created_at timestamptz not null default now(),
  replaced_by text collate "C",
  networks cidr[],
  client_jwks jsonb,
  name text,
  replaces text collate "C",
  overlap interval,
  lifetime interval,
  rotated_at timestamptz,
  primary key (customer_id, key_id),
  unique (key_id),
  constraint api_keys_replaces foreign key (customer_id, replaces) references api_keys (customer_id, key_id)
    on delete cascade deferrable initially deferred,
  constraint api_keys_overlap check ((replaces is null) = (overlap is null)),
  constraint api_keys_lifetime check (replaces is not null or lifetime is null),
  constraint api_keys_networks check (cardinality(networks) between 1 and 100),
  constraint api_keys_name check (char_length(name) between 1 and 100)
);
comment on column api_keys.scopes is 'null or with * = all scopes, also of later resources';
comment on column api_keys.replaced_by is 'the key that a rotation created instead of this one';
comment on column api_keys.networks is 'null = all addresses';
comment on column api_keys.client_jwks is 'public keys of a client that signs assertions (RFC 7517)';
comment on column api_keys.replaces is 'the key that this one replaces at its first login, which sets this to null';
comment on column api_keys.overlap is 'how long the replaced key works from this first login';
comment on column api_keys.lifetime is
  'of a key that waits for its first login, from created_at; null = unlimited. Until then, expires_at is the last time for it';
comment on column api_keys.rotated_at is 'first login of a key that replaced another one';
-- A key has one successor at most.
create unique index api_keys_one_successor on api_keys (customer_id, replaces) where revoked_at is null;
comment on column api_keys.name is 'the operator''s words for the place that uses the key; its customer reads them';

-- A link has the id of its key, which is created when the link is used. Then the row is deleted.
create table key_links (
  customer_id text collate "C" not null references customers (customer_id) on delete cascade,
  key_id text collate "C" not null unique check (key_id ~ '^[a-z0-9]{1,32}$'),
  secret_sha256 bytea not null unique check (octet_length(secret_sha256) = 32),
  scopes text[] collate "C",
  networks cidr[],
  lifetime interval,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  name text,
  replaces text collate "C",
  overlap interval,
  primary key (customer_id, key_id),
  constraint key_links_replaces foreign key (customer_id, replaces) references api_keys (customer_id, key_id)
    on delete cascade deferrable initially deferred,
  constraint key_links_overlap check ((replaces is null) = (overlap is null)),
  constraint key_links_name check (char_length(name) between 1 and 100)
);
create unique index key_links_one_successor on key_links (customer_id, replaces);
comment on column key_links.lifetime is 'of the key, from the use of the link; null = unlimited';

create table signing_keys (
  kid text collate "C" primary key,
  state text not null check (state in ('next', 'active', 'retiring')),
  public_jwk jsonb not null,
  encrypted_private_key bytea not null,
  created_at timestamptz not null default now(),
  activated_at timestamptz,
  retired_at timestamptz,
  tokens_until timestamptz
);
comment on column signing_keys.tokens_until is 'latest expiry of the tokens signed with this key';
create unique index signing_keys_one_active on signing_keys (state) where state = 'active';
create unique index signing_keys_one_next on signing_keys (state) where state = 'next';

grant select, insert, update, delete on api_keys, key_links, signing_keys to certdata_operator;

create function find_api_key(wanted text)
returns table (customer_id text, key_id text, secret_sha256 bytea, scopes text[], expires_at timestamptz,
  revoked_at timestamptz, last_used_on date, plan text, suspended_at timestamptz, expiring_within integer,
  networks text[], client_jwks text, name text, is_pending boolean, replaced_by text)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.customer_id, k.key_id, k.secret_sha256, k.scopes, k.expires_at, k.revoked_at, k.last_used_on,
    c.plan, c.suspended_at, c.expiring_within, k.networks::text[], k.client_jwks::text, k.name,
    k.replaces is not null, k.replaced_by
  from api_keys k join customers c on c.customer_id = k.customer_id
  where k.key_id = wanted
$$;

-- The ids of all keys (null) or of these customers, separated by spaces. At most `most` of them.
create function list_api_key_ids(customers text[], most integer) returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(string_agg(k.key_id, ' '), '') from (
    select key_id from api_keys where customers is null or customer_id = any (customers) limit most) k
$$;

create function mark_api_key_used(wanted text) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  update api_keys set last_used_on = (now() at time zone 'UTC')::date
  where key_id = wanted and last_used_on is distinct from (now() at time zone 'UTC')::date
$$;

create function revoke_api_key(customer text, key text) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  update api_keys set revoked_at = now()
  where customer_id = customer and key_id = key and revoked_at is null
$$;

-- Everything about a rotation locks the customer first, as an erasure does, then the key that is replaced.
create function lock_key(customer text, key text) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  select from customers c where c.customer_id = customer for key share;
  select from api_keys k where k.customer_id = customer and k.key_id = key for no key update
$$;
grant execute on function lock_key to certdata_operator;

-- A successor that waits for its first login ends with its predecessor, and follows its rights. An operator may keep it
-- when the predecessor is revoked.
create function follow_predecessor() returns trigger language plpgsql
set search_path = public, pg_temp as $$
begin
  if new.replaced_by is not null or new.revoked_at is not null and old.revoked_at is null
      and current_setting('app.keep_successors', true) is distinct from 'true' then
    delete from api_keys where customer_id = new.customer_id and replaces = new.key_id and revoked_at is null;
    delete from key_links where customer_id = new.customer_id and replaces = new.key_id;
  else
    update api_keys set networks = new.networks, scopes = new.scopes
      where customer_id = new.customer_id and replaces = new.key_id;
    update key_links set networks = new.networks, scopes = new.scopes
      where customer_id = new.customer_id and replaces = new.key_id;
  end if;
  return null;
end $$;
create trigger api_keys_follow after update of networks, scopes, revoked_at, replaced_by on api_keys
  for each row execute function follow_predecessor();

-- Records a login. The first one with a key that replaces another one begins the overlap: then the other key is `former`.
-- Its life then lasts from its creation, so that no rotation lengthens it. `is_valid` is false if the key was removed,
-- revoked or has ended in the meantime.
create function complete_key_rotation(customer text, key text)
returns table (is_valid boolean, former text, former_expires_at timestamptz)
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  kept interval;
begin
  perform lock_key(customer, (select k.replaces from api_keys k where k.customer_id = customer and k.key_id = key));
  select k.replaces, k.overlap into former, kept from api_keys k
    where k.customer_id = customer and k.key_id = key and k.replaces is not null and k.revoked_at is null
      and coalesce(k.expires_at, 'infinity') > now()
    for no key update;
  if found then
    update api_keys k set replaces = null, overlap = null, rotated_at = now(),
        expires_at = k.created_at + k.lifetime, lifetime = null
      where k.customer_id = customer and k.key_id = key;
    update api_keys k set replaced_by = key, expires_at = least(k.expires_at, now() + kept)
      where k.customer_id = customer and k.key_id = former
      returning k.expires_at into former_expires_at;
  end if;
  is_valid := exists (select from api_keys k
    where k.customer_id = customer and k.key_id = key and k.revoked_at is null
      and coalesce(k.expires_at, 'infinity') > now());
  return next;
end $$;

-- Returns no row if the link is unknown, used or expired, or if its customer has no API access. `patience`: how long a
-- key that replaces another one may wait for its first login.
create function use_key_link(link_sha256 bytea, key_sha256 bytea, patience interval)
returns table (customer_id text, key_id text, name text, scopes text[], networks text[], expires_at timestamptz,
  replaces text, overlap_seconds double precision, expires_at_after_login timestamptz)
language sql volatile security definer set search_path = public, pg_temp as $$
  select lock_key(l.customer_id, l.replaces) from key_links l where l.secret_sha256 = link_sha256;
  delete from api_keys k using key_links l, customers c
    where l.secret_sha256 = link_sha256 and l.expires_at > now() and c.customer_id = l.customer_id
      and c.plan <> 'basic' and c.suspended_at is null
      and k.customer_id = l.customer_id and k.replaces = l.replaces and k.revoked_at is null;
  with used as (
    delete from key_links l using customers c
    where l.secret_sha256 = link_sha256 and l.expires_at > now() and c.customer_id = l.customer_id
      and c.plan <> 'basic' and c.suspended_at is null
    returning l.*
  )
  insert into api_keys
    (customer_id, key_id, secret_sha256, name, scopes, networks, expires_at, replaces, overlap, lifetime)
  select u.customer_id, u.key_id, key_sha256, u.name, u.scopes, u.networks,
    least(now() + u.lifetime, case when u.replaces is not null then now() + patience end), u.replaces, u.overlap,
    case when u.replaces is not null then u.lifetime end
  from used u
  returning customer_id, key_id, name, scopes, networks::text[], expires_at, replaces,
    extract(epoch from overlap)::double precision, created_at + lifetime
$$;

-- Of the keys in use that end: not of a key that another one has replaced, or that waits for its first login.
create function read_key_expiry(soon interval) returns table (nearest_days double precision, ending integer)
language sql stable security definer set search_path = public, pg_temp as $$
  select extract(epoch from min(k.expires_at) - now()) / 86400,
    count(*) filter (where k.expires_at <= now() + soon)::integer
  from api_keys k join customers c on c.customer_id = k.customer_id
  where k.expires_at > now() and k.revoked_at is null and k.replaced_by is null and k.replaces is null
    and c.plan <> 'basic' and c.suspended_at is null
$$;

-- Omits a retiring key one minute after its last token expired: clocks of instances differ by less.
create function list_signing_keys()
returns table (kid text, state text, public_jwk jsonb, encrypted_private_key bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.kid, s.state, s.public_jwk, s.encrypted_private_key from signing_keys s
  where s.state <> 'retiring' or coalesce(s.tokens_until, 'infinity') > now() - interval '1 minute'
  order by s.created_at, s.kid
$$;

create function signing_keys_version() returns text
language sql stable security definer set search_path = public, pg_temp as $$
  select coalesce(md5(string_agg(kid || ' ' || state, ',' order by kid)), '') from list_signing_keys()
$$;
comment on function signing_keys_version is 'changes with the keys that list_signing_keys returns';

create function cover_signing_key(wanted text, until timestamptz) returns boolean
language sql volatile security definer set search_path = public, pg_temp as $$
  update signing_keys set tokens_until = least(until, now() + interval '2 days')
    where kid in (select kid from list_signing_keys() where kid = wanted)
      and coalesce(tokens_until, '-infinity') < least(until, now() + interval '2 days');
  select exists (select from list_signing_keys() where kid = wanted)
$$;
comment on function cover_signing_key is
  'stores the latest expiry of the key''s tokens; false: the key was removed and must not sign';

grant execute on function find_api_key, list_api_key_ids, mark_api_key_used, revoke_api_key, use_key_link,
  complete_key_rotation, read_key_expiry, list_signing_keys, signing_keys_version, cover_signing_key to certdata_reader;
