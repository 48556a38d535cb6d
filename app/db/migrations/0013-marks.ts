import { type Kysely, sql } from 'kysely'

/**
 * Random marks in the history of the database. A copy of its files that is put back keeps the database's identity and
 * gives transaction numbers away again; a standby that stayed on another timeline does so, too. Neither has the marks
 * that were written since. Each start of the server writes one, and a running service one a minute.
 */
const marks = `
create table change_marks (
  xid xid8 primary key default pg_current_xact_id(),
  mark uuid not null default gen_random_uuid(),
  -- The start of the server that wrote it.
  server_started_at timestamptz not null default pg_postmaster_start_time(),
  marked_at timestamptz not null default now()
);
comment on table change_marks is 'random marks, one a minute: tell one history of the database from another';

-- Writes a mark unless the newest is of this server's start and younger than this; null: of any age. Of the marks
-- that no follower's token can name any more, it deletes all but the newest.
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

-- The newest mark that the calling statement sees.
create function newest_mark() returns text
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return (select m.mark from change_marks m order by m.xid desc limit 1);
end $$;

-- The same; null unless this very start of this server wrote it: then begin_changes writes one.
create function current_mark() returns text
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return (select case when m.server_started_at = pg_postmaster_start_time() then m.mark end
    from change_marks m order by m.xid desc limit 1);
end $$;`

/**
 * `change_epoch` with marks: `mark` is the newest that the statement sees, `target_mark` the newest that is visible
 * in the snapshot `target`. Not begun: begin_changes is to be called first.
 */
const history = `
create function change_history(target pg_snapshot)
returns table (identity text, begun boolean, pruned_below text, mark text, target_mark text)
language sql stable security definer rows 1 set search_path = public, pg_temp as $$
  select e.identity, e.begun and m.mark is not null, e.pruned_below, m.mark, (
    select t.mark::text from change_marks t
    where t.xid < pg_snapshot_xmax(target) and pg_visible_in_snapshot(t.xid, target)
    order by t.xid desc limit 1)
  from change_epoch() e cross join (select current_mark() as mark offset 0) m
$$;`

/** As before, and the marks of a former history go; the new one begins with a mark. */
const begin = `
create or replace function begin_changes(reach interval) returns text
language plpgsql volatile security definer set search_path = public, pg_temp as $$
begin
  if not exists (select from change_state s where s.identity = change_identity()) then
    perform pg_advisory_xact_lock(hashtextextended('certdata change log', 0));
    if not exists (select from change_state s where s.identity = change_identity()) then
      delete from change_log;
      delete from change_samples;
      delete from change_marks;
      insert into change_state (identity, pruned_below)
        values (change_identity(), pg_snapshot_xmin(pg_current_snapshot()))
        on conflict (only_row) do update
        set identity = excluded.identity, pruned_below = excluded.pruned_below;
    end if;
  end if;
  perform mark_changes(null);
  return coalesce(
    (select s.snapshot::text from change_samples s where s.sampled_at <= now() - reach
      order by s.sampled_at desc limit 1),
    (select s.snapshot::text from change_samples s order by s.sampled_at limit 1));
end $$;`

/** As before, and a mark. Services call it more often than once a minute. */
const sample = `
create or replace function sample_changes() returns void
language sql volatile security definer set search_path = public, pg_temp as $$
  insert into change_samples (sampled_at, snapshot)
  values (date_trunc('minute', now()), pg_current_snapshot()) on conflict do nothing;
  select mark_changes(interval '30 seconds');
$$;`

const rights = `
revoke execute on function mark_changes, newest_mark, current_mark, change_history from public;
grant execute on function newest_mark, current_mark, change_history to certdata_reader, certdata_operator;`

/** Creates the table of marks and its functions. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [marks, history, begin, sample, rights]) await sql.raw(statement).execute(db)
}
