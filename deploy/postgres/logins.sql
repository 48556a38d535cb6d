-- The logins of the service, made with the database by the superuser.
\getenv owner_password OWNER_PASSWORD
\getenv web_password WEB_PASSWORD
create role certdata_reader nologin;
-- Migrates, imports and runs the command line. It is no superuser.
create role certdata_owner login createrole password :'owner_password' in role certdata_reader;
-- Serves requests. It may do what the serving role may, and nothing else.
create role certdata_web login password :'web_password' in role certdata_reader;
select format('alter database %I owner to certdata_owner', current_database()) \gexec
