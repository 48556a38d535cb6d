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

grant execute on function change_demo_record to certdata_reader;
