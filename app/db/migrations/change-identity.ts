/**
 * Names the history that transaction numbers belong to: the server, its timeline, the database and the change log.
 * Managed servers may deny the functions that name server and timeline. There the history is `managed`, and
 * `change_marks` alone tells it from another one.
 */
export const changeIdentity = `
create or replace function change_identity() returns text
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
end $$;`
