import { type Kysely, sql } from 'kysely'

/**
 * Leases of webhooks last seconds, because the instance that holds them renews them. So the webhooks of an instance that
 * died have another sender soon. No release writes a lease of more than a minute or a delay of more than an hour: what
 * lies further ahead was written before the database's clock was set back.
 */
const claim = `
drop function claim_webhooks(uuid, timestamptz, interval, text[], text[], integer);
create function claim_webhooks(holder uuid, at timestamptz, lease interval, changed text[], busy text[],
  most integer, with_failing boolean default true) returns setof webhooks
language sql volatile security definer set search_path = public, pg_temp as $$
  with due as materialized (
    select w.customer_id, w.webhook_id from webhooks w
    join customers c on c.customer_id = w.customer_id and c.suspended_at is null and c.plan <> 'basic'
    where w.state = 'active' and ($4 is null or w.customer_id = any($4)) and ($7 or w.failing_since is null)
      and (w.held_until is null or w.held_until <= $2 or w.held_until > $2 + interval '1 minute' or w.holder = $1)
      and w.webhook_id <> all($5)
      and (w.next_attempt_at is null or w.next_attempt_at <= $2 or w.next_attempt_at > $2 + interval '2 hours')
      and (w.message_id is not null or w.day < ($2 at time zone 'UTC')::date
        or w.identity is distinct from change_identity()
        or exists (select from change_log l where l.customer_id in (w.customer_id, '*') and l.xid >= w.since
          and l.resource = any(w.resources || array['settings', '*'])))
    order by w.next_attempt_at nulls first limit $6 for update of w skip locked
  )
  update webhooks w set holder = $1, held_until = $2 + $3 from due d
  where w.customer_id = d.customer_id and w.webhook_id = d.webhook_id returning w.*
$$;
comment on function claim_webhooks is 'with_failing: whether receivers count that did not take the last message';`

const renew = `
create function renew_webhooks(holder uuid, at timestamptz, lease interval, busy text[]) returns setof text
language sql volatile security definer set search_path = public, pg_temp as $$
  with mine as materialized (
    select w.webhook_id from webhooks w
    where w.holder = $1 and w.webhook_id = any($4) and w.held_until is not null for update skip locked
  ), renewed as (
    update webhooks w set held_until = $2 + $3 from mine where w.webhook_id = mine.webhook_id
  ), ended as materialized (
    select w.webhook_id from webhooks w
    where (w.held_until <= $2 or w.held_until > $2 + interval '1 minute')
      and not (w.holder = $1 and w.webhook_id = any($4)) for update skip locked
  ), freed as (
    update webhooks w set held_until = null from ended where w.webhook_id = ended.webhook_id
    returning w.customer_id, w.state
  )
  select f.customer_id from freed f where f.state = 'active'
  union
  select w.customer_id from webhooks w
  join customers c on c.customer_id = w.customer_id and c.suspended_at is null and c.plan <> 'basic'
  where w.state = 'active' and w.held_until is null and w.next_attempt_at <= $2
$$;
comment on function renew_webhooks is
  'renews what the holder works on; returns customers with webhooks that wait: their lease has ended, or an attempt is due';

revoke execute on function claim_webhooks, renew_webhooks from public;
grant execute on function claim_webhooks, renew_webhooks to certdata_reader;`

/** Lets senders renew their leases, and take over those that ended. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [claim, renew]) await sql.raw(statement).execute(db)
}
