-- The login of the instances, made with the database. It may do what the serving role may, and nothing else.
\getenv password WEB_PASSWORD
create role certdata_reader nologin;
create role certdata_web login password :'password' in role certdata_reader;
