-- The serving role sees the keys of the session's customer, without secrets. `own`: the key that may see its networks.
create function list_account_keys(customer text, own text, most integer)
returns table (key_id text, name text, state text, scopes text[], networks text[], created_at timestamptz,
  last_used_on date, expires_at timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select k.key_id, k.name,
    case when k.revoked_at is not null then 'revoked' when k.expires_at <= now() then 'expired'
      when k.replaced_by is not null then 'replaced' when k.replaces is not null then 'pending' else 'active' end,
    k.scopes,
    case when k.key_id = own then coalesce(k.networks::text[], array['0.0.0.0/0', '::/0']) end,
    k.created_at, k.last_used_on, k.expires_at
  from api_keys k
  where k.customer_id = customer and k.customer_id = nullif(current_setting('app.customer_id', true), '')
  order by k.created_at desc, k.key_id limit most
$$;

grant execute on function list_account_keys to certdata_reader;
