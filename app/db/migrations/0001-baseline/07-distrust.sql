-- Changes of these resources may be missing in the log. A row for every record (`*`) invalidates cached answers and
-- tokens of the change feed. History before now cannot be trusted either, but its rows are kept. Other names are
-- ignored. Does nothing for resources that are distrusted already. Returns these resources with the previous start of
-- their history. `incomplete`: the log still lacks changes.
create function distrust_resources(names text[], incomplete boolean)
returns table (resource text, history_from timestamptz)
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  begun text[];
begin
  with added as (
    insert into distrusted_resources (resource, history_from)
      select distinct n, b.since from unnest(names) n
      left join history_begun b on b.resource = n and b.customer_id = '*'
      where b.resource is not null or n in ('settings', 'custom', 'history')
      order by n on conflict do nothing returning resource
  ) select array_agg(a.resource) into begun from added a;
  update distrusted_resources set is_incomplete = true where incomplete and not is_incomplete;
  insert into change_log (customer_id, resource, record_id) select '*', n, '*' from unnest(begun) n;
  update history_begun set since = now() where resource = any(begun);
  return query select d.resource, d.history_from from distrusted_resources d
    where d.resource = any(names) order by d.resource;
end $$;

-- Call it when all triggers are right. Invalidates every cached answer, because a wrong one may have been stored in the
-- meantime. Returns the resources that were distrusted, with the previous start of their history.
create function end_distrust() returns table (resource text, history_from timestamptz)
language plpgsql volatile security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  ended distrusted_resources[];
begin
  with removed as (delete from distrusted_resources returning distrusted_resources)
    select array_agg(r.distrusted_resources) into ended from removed r;
  if ended is null then return; end if;
  insert into change_log (customer_id, resource, record_id)
    select '*', e.resource, '*' from unnest(ended) e where e.is_incomplete
    union all select '*', '*', '*';
  update history_begun set since = now()
    where resource in (select e.resource from unnest(ended) e where e.is_incomplete);
  return query select e.resource, e.history_from from unnest(ended) e order by e.resource;
end $$;

-- Lets triggers fire in every session again, and distrusts the resources of their tables. `wanted`: table.trigger. Other
-- triggers stay. Returns the changed triggers. Writers wait for at most half a second, and then it fails.
create function repair_trigger_modes(wanted text[]) returns setof text
language plpgsql volatile security definer set search_path = public, pg_temp set lock_timeout = '500ms' as $$
declare
  found_wrong record;
begin
  for found_wrong in
    select c.relname, t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and t.tgenabled <> 'A' and not t.tgisinternal
      and concat_ws('.', c.relname, t.tgname) = any(wanted)
    order by c.relname, t.tgname
  loop
    execute format('alter table public.%I enable always trigger %I', found_wrong.relname, found_wrong.tgname);
    perform distrust_resources(array[found_wrong.relname::text], false);
    return next concat_ws('.', found_wrong.relname, found_wrong.tgname);
  end loop;
  if found then
    insert into change_log (customer_id, resource, record_id) values ('*', '*', '*');
  end if;
end $$;

grant execute on function distrust_resources, end_distrust, repair_trigger_modes to certdata_reader;
