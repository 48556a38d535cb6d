-- certdata_reader answers requests and sees one customer; certdata_operator imports and administers. Roles belong to the
-- server: another database may have created them, or may be creating them now.
do $$
declare wanted text;
begin
  foreach wanted in array array['certdata_reader', 'certdata_operator'] loop
    begin
      if not exists (select from pg_roles where rolname = wanted) then
        execute format('create role %I nologin', wanted);
      end if;
    exception when duplicate_object or unique_violation then null;
    end;
    begin
      if not exists (
        select from pg_auth_members m
        where m.roleid = (select oid from pg_roles where rolname = wanted)
          and m.member = (select oid from pg_roles where rolname = current_user)
          and not m.admin_option
      ) then
        execute format('grant %I to current_user', wanted);
      end if;
    exception when unique_violation then null;
    end;
  end loop;
end $$;

grant usage on schema public to certdata_reader, certdata_operator;
