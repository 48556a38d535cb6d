create table audit_roots (
  root_no bigint primary key check (root_no > 0),
  at timestamptz not null,
  first_seal bigint not null,
  last_seal bigint not null,
  leaves bytea not null,
  statement text collate "C" not null,
  kid text collate "C" not null
);
comment on table audit_roots is 'signed Merkle roots of audit entries';

create table audit_root_keys (
  kid text collate "C" primary key,
  public_jwk json not null,
  mac bytea not null,
  added_at timestamptz not null default clock_timestamp()
);
comment on table audit_root_keys is 'public keys of the keys that signed roots, also after their rotation';

-- The newest root. Pruning keeps it, so that numbers continue and roots stay linked.
create table audit_root_head (
  only_one boolean primary key default true check (only_one),
  root_no bigint not null,
  last_seal bigint not null,
  digest bytea
);

insert into audit_root_head (root_no, last_seal) values (0, 0);

grant select on audit_roots, audit_root_keys, audit_root_head to certdata_operator;
grant select (root_no, at, statement, kid) on audit_roots to certdata_reader;
grant select (kid, public_jwk) on audit_root_keys to certdata_reader;

-- Second 20 of a minute, because the reads of a minute become entries 10 to 15 s after it.
create function audit_root_cut(at timestamptz) returns timestamptz
language sql stable parallel safe
return date_trunc('minute', at - interval '20 seconds') + interval '20 seconds';

create function audit_root_state() returns table (root_no bigint, last_seal bigint, digest bytea, is_due boolean)
language sql stable security definer set search_path = public, pg_temp as $$
  select h.root_no, h.last_seal, h.digest, exists (
    select from audit_seals s where s.seal_no > h.last_seal and s.sealed_at < audit_root_cut(clock_timestamp()))
  from audit_root_head h
$$;

create function list_unrooted_audit(takes_all boolean, most integer)
returns table (seal_no bigint, entry_id bigint, leaf bytea, mac bytea)
language sql stable security definer set search_path = public, pg_temp as $$
  select s.seal_no, s.entry_id, s.leaf, s.mac from audit_root_head h
  join audit_seals s on s.seal_no > h.last_seal
  where takes_all or s.sealed_at < audit_root_cut(clock_timestamp())
  order by s.seal_no limit most
$$;

create function append_audit_root(root json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  with given as materialized (
    select * from json_to_record(root) as r (root_no bigint, at timestamptz, first_seal bigint, last_seal bigint,
      leaves text, statement text, kid text, public_jwk json, key_mac text)
  ), key as (
    insert into audit_root_keys (kid, public_jwk, mac)
    select kid, public_jwk, decode(key_mac, 'base64') from given
    on conflict (kid) do update set mac = excluded.mac where audit_root_keys.mac <> excluded.mac
  ), head as (
    update audit_root_head h set root_no = g.root_no, last_seal = g.last_seal,
      digest = sha256(convert_to(g.statement, 'UTF8')) from given g
  )
  insert into audit_roots (root_no, at, first_seal, last_seal, leaves, statement, kid)
  select root_no, at, first_seal, last_seal, decode(leaves, 'base64'), statement, kid from given
$$;

create function place_audit_copies(root bigint, places json) returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  update audit_copies c set root_no = root, leaf_index = p.leaf_index, path = decode(p.path, 'base64')
  from json_to_recordset(places) as p (entry_id bigint, leaf_index integer, path text)
  where c.entry_id = p.entry_id
$$;

grant execute on function audit_root_state, list_unrooted_audit, append_audit_root, place_audit_copies to
  certdata_reader;
