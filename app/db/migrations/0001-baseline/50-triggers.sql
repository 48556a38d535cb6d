-- Fire in every session, also with session_replication_role = replica.
do $$
declare
  each record;
begin
  for each in select tgrelid::regclass as of_table, tgname from pg_trigger where not tgisinternal loop
    execute format('alter table %s enable always trigger %I', each.of_table, each.tgname);
  end loop;
end $$;
