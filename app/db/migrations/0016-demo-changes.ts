import { type Kysely, sql } from 'kysely'

/**
 * A visitor of the demo changes an example record, to see the change arrive. Which five records can change is fixed
 * here. A changed row remembers its original status and until when it stays changed, so that any later call undoes
 * it, whatever happened to the instance that changed it.
 */
const table = `
create table demo_changes (
  id text collate "C" primary key,
  original text collate "C",
  until timestamptz,
  check ((original is null) = (until is null))
);
comment on table demo_changes is 'approvals of the example customer that a visitor of the demo may change for a minute';
insert into demo_changes (id) values ('apr-levelsense-de'), ('apr-levelsense-us'), ('apr-lumen-gateway-kw'),
  ('apr-lumen-gateway-lte-cn'), ('apr-smartlock-br');`

/** One step along the states of an approval (contract, section 2). */
const nextStatus = `case c.status when 'preparing' then 'testing' when 'testing' then 'submitted'
      when 'submitted' then 'in_review' when 'in_review' then 'information_requested' else 'in_review' end`

/**
 * The first statement undoes what is due. The second takes a record that is unchanged a step on, or back if all are
 * changed, the one that is due first. Rows that another transaction has locked are left to it.
 */
const change = `
create function change_demo_record(change boolean)
returns table (id text, status text, until timestamptz)
language sql volatile security definer set search_path = public, pg_temp as $$
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
      coalesce(c.original, ${nextStatus}) as status
    from chosen c
  ), noted as (
    update demo_changes d set original = n.original, until = n.until from next n where d.id = n.id
  )
  update approvals a set status = n.status from next n where a.customer_id = 'demo' and a.id = n.id
  returning a.id, a.status, n.until
$$;
revoke execute on function change_demo_record from public;
grant execute on function change_demo_record to certdata_reader;`

/** Creates the table of the records that the demo changes, and the function by which it does. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  for (const statement of [table, change]) await sql.raw(statement).execute(db)
}
