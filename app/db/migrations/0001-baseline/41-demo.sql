-- See docs/decisions/0083-the-database-undoes-demo-changes.md.
create table demo_changes (
  id text collate "C" primary key,
  original text collate "C",
  until timestamptz,
  check ((original is null) = (until is null))
);
comment on table demo_changes is 'approvals of the example customer that a visitor of the demo may change for a minute';

insert into demo_changes (id) values ('apr-levelsense-de'), ('apr-levelsense-us'), ('apr-lumen-gateway-kw'),
  ('apr-lumen-gateway-lte-cn'), ('apr-smartlock-br');

-- Keeps 50 rows of a record's history if it has more than 90. The oldest becomes a mark: see record_history.
create function trim_demo_history(kind text, record text) returns void
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  newest bigint[] := array(select h.position from record_history h
    where h.customer_id = 'demo' and h.resource = kind and h.record_id = record order by h.position desc limit 91);
begin
  if cardinality(newest) < 91 then return; end if;
  delete from record_history h where h.customer_id = 'demo' and h.resource = kind and h.record_id = record
    and h.position < newest[50];
  update record_history h set old = '{}' where h.customer_id = 'demo' and h.resource = kind and h.record_id = record
    and h.position = newest[50];
  insert into change_log (customer_id, resource, record_id) values ('demo', 'history', record);
end $$;

-- The first load of the example data writes four weeks of changes within a second: a time between starts[i] and
-- starts[i + 1] becomes times[i]. Triggers are disabled, because they would restore the times of the writes.
create function date_demo_history(starts timestamptz[], times timestamptz[]) returns void
language plpgsql volatile security definer set search_path = public, pg_temp as $$
declare
  kind text;
  trigger_name name;
begin
  update record_history h set at = coalesce(times[width_bucket(h.at, starts)], h.at),
    since = coalesce(times[width_bucket(h.since, starts)], h.since),
    old = case when h.old ? 'created_at' then h.old || jsonb_build_object('created_at',
      coalesce(times[width_bucket((h.old ->> 'created_at')::timestamptz, starts)], (h.old ->> 'created_at')::timestamptz))
      else h.old end
    where h.customer_id = 'demo';
  for kind in select b.resource from history_begun b join pg_attribute a on a.attrelid = b.resource::regclass
    where b.customer_id = '*' and a.attname = 'customer_id' loop
    execute format('alter table %I disable trigger user', kind);
    execute format('with dated as (
        update %I set created_at = coalesce($2[width_bucket(created_at, $1)], created_at),
          updated_at = coalesce($2[width_bucket(updated_at, $1)], updated_at)
        where customer_id = ''demo'' returning id)
      insert into change_log (customer_id, resource, record_id) select ''demo'', %L, id from dated', kind, kind)
      using starts, times;
    for trigger_name in select tgname from pg_trigger where tgrelid = kind::regclass and not tgisinternal loop
      execute format('alter table %I enable always trigger %I', kind, trigger_name);
    end loop;
  end loop;
  insert into history_begun (customer_id, resource, since)
    select 'demo', b.resource, times[1] from history_begun b where b.customer_id = '*'
    on conflict (customer_id, resource) do update set since = excluded.since;
  insert into change_log (customer_id, resource, record_id) values ('demo', 'history', '*');
end $$;

-- Undoes changes that are due. If `change`, it then advances the first unchanged record by one status. If all are
-- changed, it undoes the change that is due first.
create function change_demo_record(change boolean)
returns table (id text, status text, until timestamptz)
language sql volatile security definer set search_path = public, pg_temp as $$
  select pg_advisory_xact_lock(hashtextextended('certdata demo changes', 0));
  select trim_demo_history('approvals', d.id) from demo_changes d;

  with due as materialized (
    select d.id, d.original from demo_changes d where d.until <= now() order by d.id for update skip locked
  ), undone as (
    update approvals a set status = due.original from due where a.customer_id = 'demo' and a.id = due.id
  )
  update demo_changes d set original = null, until = null from due where d.id = due.id;

  with chosen as materialized (
    select d.id, d.original, a.status from demo_changes d
    join approvals a on a.customer_id = 'demo' and a.id = d.id
    where change order by d.until nulls first, d.id limit 1 for update of d skip locked
  ), next as materialized (
    select c.id, case when c.original is null then c.status end as original,
      case when c.original is null then now() + interval '1 minute' end as until,
      coalesce(c.original, case c.status when 'preparing' then 'testing' when 'testing' then 'submitted'
      when 'submitted' then 'in_review' when 'in_review' then 'information_requested' else 'in_review' end) as status
    from chosen c
  ), noted as (
    update demo_changes d set original = n.original, until = n.until from next n where d.id = n.id
  )
  update approvals a set status = n.status from next n where a.customer_id = 'demo' and a.id = n.id
  returning a.id, a.status, n.until
$$;

grant execute on function trim_demo_history, date_demo_history to certdata_operator;
grant execute on function change_demo_record to certdata_reader;
