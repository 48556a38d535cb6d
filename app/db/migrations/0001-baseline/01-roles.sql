-- certdata_reader answers requests and sees one customer; certdata_operator imports and administers. Roles belong to the
-- server: another database may have created them, or may be creating them now.
do $$
declare
  wanted text;
  may_set text := case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end;
begin
  foreach wanted in array array['certdata_reader', 'certdata_operator'] loop
    begin
      if not exists (select from pg_roles where rolname = wanted) then
        execute format('create role %I nologin', wanted);
      end if;
    exception when duplicate_object or unique_violation then null;
    end;
    begin
      if not (pg_has_role(wanted, 'usage') and pg_has_role(wanted, may_set)) then
        execute format('grant %I to current_user', wanted);
      end if;
    exception when unique_violation then null;
    end;
  end loop;
  -- Imports need temporary tables. Some administrators revoke this right from public.
  execute format('grant temporary on database %I to certdata_operator', current_database());
end $$;

grant usage on schema public to certdata_reader, certdata_operator;
