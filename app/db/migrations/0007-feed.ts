import { type Kysely, sql } from 'kysely'

/**
 * What the change feed asks beside the log itself: which history of which database this is, whether the log is
 * that history's (see begin_changes), and below which transaction its rows are gone. STABLE, so that it sees
 * what the statement sees that reads the log.
 */
const epoch = `
create function change_epoch() returns table (identity text, begun boolean, pruned_below text)
language sql stable security definer rows 1 set search_path = public, pg_temp as $$
  select i.identity, s.identity is not distinct from i.identity, s.pruned_below::text
  from (select change_identity() as identity offset 0) i left join change_state s on true
$$;
revoke execute on function change_epoch from public;
grant execute on function change_epoch to certdata_reader, certdata_operator;`

/** Creates the function. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await sql.raw(epoch).execute(db)
}
