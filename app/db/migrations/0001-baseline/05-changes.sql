-- Caches and the change feed depend on this log. `*` means every customer, resource or record. Rows that logical
-- replication writes are missing, because it fires no statement triggers.
create table change_log (
  customer_id text collate "C" not null,
  xid xid8 not null default pg_current_xact_id(),
  position bigint generated always as identity,
  resource text collate "C" not null,
  record_id text collate "C" not null,
  changed_at timestamptz not null default now(),
  primary key (customer_id, xid, position)
);
comment on table change_log is 'append-only; find new rows by xid, not by position: see poll_changes';
create index change_log_xid on change_log (xid, customer_id, resource);

-- `in`, because before PostgreSQL 17 an OR in a policy makes the planner read all changes of the customer.
create policy reader on change_log for select to certdata_reader
  using (customer_id in (nullif(current_setting('app.customer_id', true), ''), '*'));

create table change_samples (
  sampled_at timestamptz primary key,
  snapshot pg_snapshot not null
);
comment on table change_samples is 'a snapshot for each minute, which shows the transactions that had ended';

create table change_state (
  only_row boolean primary key default true check (only_row),
  identity text not null,
  pruned_below xid8 not null,
  history_floor bigint not null default 0
);

-- A restored copy of the database's files, or a standby on another timeline, has the same identity and repeats
-- transaction numbers, but it lacks later marks.
create table change_marks (
  xid xid8 primary key default pg_current_xact_id(),
  mark uuid not null default gen_random_uuid(),
  server_started_at timestamptz not null default pg_postmaster_start_time(),
  marked_at timestamptz not null default now()
);
comment on table change_marks is 'a random mark for each minute, to distinguish histories of the database';

grant select, insert, delete on change_log to certdata_operator;
grant select on change_log to certdata_reader;
grant select, insert, update, delete on change_samples, change_state to certdata_operator;

-- Names the history that transaction numbers belong to: server, timeline, database and change log. A managed server may
-- deny the first two; then only the marks distinguish histories.
create function change_identity() returns text
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  database text := concat_ws('.', (select oid from pg_database where datname = current_database()),
    'change_log'::regclass::oid);
begin
  return concat_ws('.', (select system_identifier from pg_control_system()),
    case when pg_is_in_recovery() then 'recovery' else left(pg_walfile_name(pg_current_wal_lsn()), 8) end,
    database);
exception when insufficient_privilege or feature_not_supported or undefined_function then
  return concat_ws('.', 'managed', case when pg_is_in_recovery() then 'recovery' end, database);
end $$;

-- Returns null if the newest mark was written before the last start of this server. Then begin_changes writes one.
create function current_mark() returns text
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return (select case when m.server_started_at = pg_postmaster_start_time() then m.mark end
    from change_marks m order by m.xid desc limit 1);
end $$;

create function newest_mark() returns text
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return (select m.mark from change_marks m order by m.xid desc limit 1);
end $$;

-- Writes a mark if the newest is older than the last start of this server or than `younger_than` (null: any age).
-- Deletes marks that no sync token can name any more.
create function mark_changes(younger_than interval) returns void
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  if coalesce((select m.server_started_at = pg_postmaster_start_time()
      and (younger_than is null or m.marked_at > now() - younger_than)
    from change_marks m order by m.xid desc limit 1), false) then return; end if;
  insert into change_marks default values;
  delete from change_marks where xid < (
    select m.xid from change_marks m cross join change_state s
    where m.xid < s.pruned_below order by m.xid desc limit 1);
end $$;

-- `target_mark` is the newest mark that is visible in `target`. If `begun` is false, call begin_changes first.
create function change_history(target pg_snapshot)
returns table (identity text, begun boolean, pruned_below text, mark text, target_mark text)
language sql stable security definer rows 1 set search_path = public, pg_temp as $$
  select i.identity, s.identity is not distinct from i.identity and i.mark is not null, s.pruned_below::text, i.mark, (
    select t.mark::text from change_marks t
    where t.xid < pg_snapshot_xmax(target) and pg_visible_in_snapshot(t.xid, target)
    order by t.xid desc limit 1)
  from (select change_identity() as identity, current_mark() as mark offset 0) i left join change_state s on true
$$;

-- Each process calls this when it starts. Empties a log of another history. Returns the snapshot after which to read the
-- log, or null.
create function begin_changes(reach interval) returns text
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from change_state s where s.identity = change_identity()) then
    perform pg_advisory_xact_lock(hashtextextended('certdata change log', 0));
    if not exists (select from change_state s where s.identity = change_identity()) then
      delete from change_log;
      delete from change_samples;
      delete from change_marks;
      insert into change_state (identity, pruned_below, history_floor)
        values (change_identity(), pg_snapshot_xmin(pg_current_snapshot()),
          (select case when is_called then last_value else 0 end from record_history_position_seq))
        on conflict (only_row) do update set identity = excluded.identity,
          pruned_below = excluded.pruned_below, history_floor = excluded.history_floor;
    end if;
  end if;
  perform mark_changes(null);
  return coalesce(
    (select s.snapshot::text from change_samples s where s.sampled_at <= now() - reach
      order by s.sampled_at desc limit 1),
    (select s.snapshot::text from change_samples s order by s.sampled_at limit 1));
end $$;

-- The transaction numbers of record_history up to this position are of another history.
create function history_floor() returns bigint
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return (select s.history_floor from change_state s);
end $$;

-- See docs/decisions/0155-a-difference-distrusts-the-resource.md. `is_incomplete`: triggers were wrong after the
-- distrust had begun, so followers start again at its end, too. `history_from`: when the history began until then.
create table distrusted_resources (
  resource text collate "C" primary key,
  since timestamptz not null default now(),
  is_incomplete boolean not null default false,
  history_from timestamptz
);
comment on table distrusted_resources is
  'a cached answer differed from the database; ends when migrate or a start finds all triggers right';

-- Returns the customers and resources that changed in transactions that a snapshot does not show. The cost depends on
-- the number of these pairs, not of rows, because `walk` skips from pair to pair. `at` is the start of the transaction,
-- because the start of the statement can be later than its snapshot.
create function poll_changes(since text, most integer)
returns table (snapshot text, at text, identity text, started text, recovering boolean, events text, found integer,
  distrusted text[])
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
    (select count(*)::integer from bounded),
    array(select d.resource from distrusted_resources d)
  from seen
$$;

create function sample_changes() returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  insert into change_samples (sampled_at, snapshot)
  values (date_trunc('minute', now()), pg_current_snapshot()) on conflict do nothing;
  select mark_changes(interval '30 seconds');
$$;

-- Deletes rows of transactions that had ended `retention` ago. Not by age: rows of a transaction that was open for hours
-- are old when they appear. Call it until it returns less than `most`.
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

insert into change_state (identity, pruned_below)
  values (change_identity(), pg_snapshot_xmin(pg_current_snapshot()));

grant execute on function change_identity, current_mark, newest_mark, change_history, begin_changes, history_floor,
  poll_changes, sample_changes, prune_changes to certdata_reader, certdata_operator;
