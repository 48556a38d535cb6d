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

grant execute on function trim_demo_history, date_demo_history to certdata_operator;
