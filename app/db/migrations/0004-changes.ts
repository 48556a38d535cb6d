import { type Kysely, sql } from 'kysely'
import { changeIdentity } from './change-identity.ts'

/**
 * The change log: which rows changed in which transaction. Caches, facts about keys and the change feed rest on
 * it (app/cache/fence.ts). The triggers fire once a statement; a row that an update left as it was is not among
 * its transition rows, because the BEFORE triggers drop it. Logical replication applies rows without them.
 *
 * `*` stands for every customer, resource or record. NOT NULL throughout, so that one index order holds all.
 */
const log = `
create table change_log (
  customer_id text collate "C" not null,
  xid xid8 not null default pg_current_xact_id(),
  position bigint generated always as identity,
  resource text collate "C" not null,
  record_id text collate "C" not null,
  changed_at timestamptz not null default now(),
  primary key (customer_id, xid, position)
);
comment on table change_log is 'append-only; xid, not position, says what is new: see poll_changes';
-- For the poll: distinct customers and resources of a transaction, by skipping over its rows.
create index change_log_xid on change_log (xid, customer_id, resource);

alter table change_log enable row level security;
alter table change_log force row level security;
create policy operator on change_log for all to certdata_operator using (true) with check (true);
-- As a list: before PostgreSQL 17 an OR under a policy has the planner read all that the customer ever changed.
create policy reader on change_log for select to certdata_reader
  using (customer_id in (nullif(current_setting('app.customer_id', true), ''), '*'));
grant select, insert, delete on change_log to certdata_operator;
grant select on change_log to certdata_reader;

create table change_samples (
  sampled_at timestamptz primary key,
  snapshot pg_snapshot not null
);
comment on table change_samples is 'a snapshot a minute: tells which transactions had ended by then';

create table change_state (
  only_row boolean primary key default true check (only_row),
  identity text not null,
  pruned_below xid8 not null
);
grant select, insert, update, delete on change_samples, change_state to certdata_operator;`

/** Which database this is: another server, a promotion, a restored or another log are another history. */
const identity = `${changeIdentity}
insert into change_state (identity, pruned_below)
  values (change_identity(), pg_snapshot_xmin(pg_current_snapshot()));
-- Called by each process at its start. A history of another database is none of ours: its transaction numbers
-- may lie in our future. Returns the snapshot from which the log is to be read back, null without one.
create function begin_changes(reach interval) returns text
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from change_state s where s.identity = change_identity()) then
    perform pg_advisory_xact_lock(hashtextextended('certdata change log', 0));
    if not exists (select from change_state s where s.identity = change_identity()) then
      delete from change_log;
      delete from change_samples;
      insert into change_state (identity, pruned_below)
        values (change_identity(), pg_snapshot_xmin(pg_current_snapshot()))
        on conflict (only_row) do update
        set identity = excluded.identity, pruned_below = excluded.pruned_below;
    end if;
  end if;
  return coalesce(
    (select s.snapshot::text from change_samples s where s.sampled_at <= now() - reach
      order by s.sampled_at desc limit 1),
    (select s.snapshot::text from change_samples s order by s.sampled_at limit 1));
end $$;`

/**
 * What became visible since a snapshot: rows of transactions that it saw running, or that began after it. A
 * transaction's rows are skipped over, so that the cost is that of the pairs, not of the rows: a statement that
 * changed a million records is one step. Rows of transactions still running are not visible to the statement.
 * `at` is the transaction's start, which is before the snapshot; a statement's may be after it (at Execute, when
 * the snapshot was taken at Bind), and then a commit before `at` would be missing.
 */
const poll = `
create function poll_changes(since text, most integer)
returns table (snapshot text, at text, identity text, started text, recovering boolean, events text, found integer)
language sql stable security definer set search_path = public, pg_temp as $$
  with recursive seen as (
    select pg_current_snapshot() as snapshot
  ), spans as (
    select x as low, x as high from pg_snapshot_xip(since::pg_snapshot) x
    union all
    select pg_snapshot_xmax(since::pg_snapshot), pg_snapshot_xmax(seen.snapshot) from seen
  ), walk as (
    select first.*, spans.high from spans cross join lateral (
      select c.xid, c.customer_id, c.resource from change_log c
      where c.xid >= spans.low and c.xid <= spans.high
      order by c.xid, c.customer_id, c.resource limit 1) first
    union all
    select next.*, walk.high from walk cross join lateral (
      select c.xid, c.customer_id, c.resource from change_log c
      where (c.xid, c.customer_id, c.resource) > (walk.xid, walk.customer_id, walk.resource)
        and c.xid <= walk.high
      order by c.xid, c.customer_id, c.resource limit 1) next
  ), bounded as (
    select w.xid, w.customer_id, w.resource from walk w limit most + 1
  )
  select seen.snapshot::text,
    to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    change_identity(), extract(epoch from pg_postmaster_start_time())::text, pg_is_in_recovery(),
    (select string_agg(concat_ws(' ', b.xid, b.customer_id, b.resource), ',') from bounded b),
    (select count(*)::integer from bounded)
  from seen
$$;`

const upkeep = `
create function sample_changes() returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  insert into change_samples (sampled_at, snapshot)
  values (date_trunc('minute', now()), pg_current_snapshot()) on conflict do nothing
$$;

-- Never by age: rows of a transaction that was open for hours are old when they appear. What lies below the
-- oldest transaction that ran a retention ago had all ended by then. A part at a time: call it until it is less
-- than it asked for.
create function prune_changes(retention interval, most integer default 20000) returns bigint
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  kept timestamptz;
  below xid8;
  gone bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('certdata change log', 0));
  select s.sampled_at, pg_snapshot_xmin(s.snapshot) into kept, below from change_samples s
    where s.sampled_at <= now() - greatest(retention, interval '1 hour') order by s.sampled_at desc limit 1;
  if below is null then return 0; end if;
  update change_state set pruned_below = greatest(pruned_below, below);
  delete from change_log where ctid = any (array(
    select c.ctid from change_log c where c.xid < below order by c.xid limit most));
  get diagnostics gone = row_count;
  delete from change_samples where sampled_at < kept;
  return gone;
end $$;

revoke execute on function change_identity, begin_changes, poll_changes, sample_changes, prune_changes
  from public;
grant execute on function change_identity, begin_changes, poll_changes, sample_changes
  to certdata_reader, certdata_operator;
grant execute on function prune_changes to certdata_reader, certdata_operator;`

type Logged = {
  table: string
  /** Under which name the log has it; the table's own unless it tells who may do what. */
  resource: string
  /** Expressions over a changed row `r`. */
  customer: string
  record: string
  /** Columns that say whose and which it is. */
  key: readonly string[]
  /** Rows that an update changed; absent: all that it touched. */
  updated?: string
}

const records: Logged[] = ['certificates', 'products', 'projects', 'lab', 'approvals'].map((table) => ({
  table,
  resource: table,
  customer: 'r.customer_id',
  record: 'r.id',
  key: ['customer_id', 'id'],
}))

// A key's last use is noted each day, and changes nobody's rights.
const changedKeys = `(select customer_id, key_id from new_rows n full join old_rows o using (customer_id, key_id)
  where to_jsonb(n) - 'last_used_on' is distinct from to_jsonb(o) - 'last_used_on')`

const logged: Logged[] = [
  ...records,
  { table: 'countries', resource: 'countries', customer: "'*'", record: 'r.id', key: ['id'] },
  { table: 'customers', resource: 'auth', customer: 'r.customer_id', record: "'*'", key: ['customer_id'] },
  ...['api_keys', 'revoked_tokens'].map((table) => ({
    table,
    resource: 'auth',
    customer: 'r.customer_id',
    record: 'r.key_id',
    key: ['customer_id', 'key_id'],
    ...(table === 'api_keys' ? { updated: changedKeys } : {}),
  })),
]

const triggers = ({ table, resource, customer, record, key, updated }: Logged) => {
  const changes = (rows: string) => `select ${customer}, '${resource}', ${record} from ${rows} r`
  const both = 'old table as old_rows new table as new_rows'
  const events = {
    insert: { rows: 'new table as new_rows', changed: changes('new_rows') },
    update: {
      rows: updated ? both : 'new table as new_rows',
      changed: changes(updated ?? 'new_rows'),
    },
    delete: { rows: 'old table as old_rows', changed: changes('old_rows') },
  }
  const each = Object.entries(events).map(
    ([event, { rows, changed }]) => `
create function ${table}_log_${event}() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id) ${changed};
  return null;
end $$;
create trigger ${table}_log_${event} after ${event} on ${table} referencing ${rows}
  for each statement execute function ${table}_log_${event}();
alter table ${table} enable always trigger ${table}_log_${event};`,
  )
  const moved = key.map((column) => `old.${column} is distinct from new.${column}`).join(' or ')
  const former = (expression: string) => expression.replaceAll('r.', 'old.')
  return `${each.join('')}
-- What was there under the former key is gone. By row: a set of old rows would cost every update a tenth.
create function ${table}_log_moved() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id)
    values (${former(customer)}, '${resource}', ${former(record)});
  return null;
end $$;
create trigger ${table}_log_moved after update of ${key.join(', ')} on ${table}
  for each row when (${moved}) execute function ${table}_log_moved();
alter table ${table} enable always trigger ${table}_log_moved;
create function ${table}_log_truncate() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id) values ('*', '${resource}', '*');
  return null;
end $$;
create trigger ${table}_log_truncate after truncate on ${table}
  for each statement execute function ${table}_log_truncate();
alter table ${table} enable always trigger ${table}_log_truncate;`
}

// Answers depend on it, and on nothing else of a customer's.
const settings = `
create function customers_log_settings() returns trigger language plpgsql as $$
begin
  insert into change_log (customer_id, resource, record_id) values (new.customer_id, 'settings', '*');
  return null;
end $$;
create trigger customers_log_settings after update of expiring_within on customers
  for each row when (old.expiring_within is distinct from new.expiring_within)
  execute function customers_log_settings();
alter table customers enable always trigger customers_log_settings;`

/** Creates the change log, its triggers on every table that answers or rights depend on, and its functions. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [log, identity, poll, upkeep, ...logged.map(triggers), settings]) {
    await sql.raw(statement).execute(db)
  }
}
