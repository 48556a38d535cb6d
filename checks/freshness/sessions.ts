const plain = ''

/** They catch the triggers' writes and look-ups if names are resolved in the writer's session. */
export const temporaryTables = `
  create temp table change_log (customer_id text, resource text, record_id text) on commit drop;
  create temp table customers (customer_id text) on commit drop`

const otherSettings = `
  set local DateStyle = 'SQL, DMY'; set local TimeZone = 'Asia/Kolkata'; set local bytea_output = 'escape';
  set local standard_conforming_strings = off; set local default_transaction_read_only = on`

/**
 * How writers begin their transactions. The triggers must work in each. A writer qualifies its own tables,
 * because the path may be empty.
 */
export const sessions: readonly string[] = [
  plain,
  plain,
  plain,
  `set local search_path = ''`,
  temporaryTables,
  otherSettings,
]

/** Plants a fault: triggers and their functions resolve names in the session again. */
export const resetPaths = `do $$ declare each regprocedure; begin
  for each in select oid from pg_proc
    where pronamespace = 'public'::regnamespace and proconfig is not null and not prosecdef loop
    execute format('alter function %s reset search_path', each);
  end loop;
end $$`
