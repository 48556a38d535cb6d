-- Makes a pending successor of a key, in place of an earlier one that was not used. `outcome` is the reason if it does not.
-- `patience`: how long the successor may wait for its first login.
create function rotate_api_key(customer text, key text, fresh text, fresh_sha256 bytea, kept interval, pause interval,
  patience interval)
returns table (outcome text, wait_seconds integer, name text, expires_at timestamptz, expires_at_after_login timestamptz)
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  old api_keys;
begin
  perform lock_key(customer, key);
  select * into old from api_keys k where k.customer_id = customer and k.key_id = key;
  outcome := case
    when old.key_id is null or old.revoked_at is not null or old.expires_at <= now() or old.client_jwks is not null
      then 'unusable'
    when old.replaced_by is not null then 'replaced'
    when old.replaces is not null then 'pending'
    when old.rotated_at > now() - pause then 'too_soon'
    else 'made' end;
  if outcome = 'too_soon' then
    wait_seconds := ceil(extract(epoch from old.rotated_at + pause - now()));
  elsif outcome = 'made' then
    delete from api_keys k where k.customer_id = customer and k.replaces = key and k.revoked_at is null;
    delete from key_links l where l.customer_id = customer and l.replaces = key;
    name := old.name;
    expires_at_after_login := now() + (old.expires_at - old.created_at);
    expires_at := least(expires_at_after_login, now() + patience);
    insert into api_keys
      (customer_id, key_id, secret_sha256, name, scopes, networks, expires_at, replaces, overlap, lifetime)
    values (customer, fresh, fresh_sha256, name, old.scopes, old.networks, expires_at, key, kept,
      old.expires_at - old.created_at);
  end if;
  return next;
end $$;

grant execute on function rotate_api_key to certdata_reader;
