-- Lists everything in a database that migrations create, as one text. Neither the order nor the form depends on
-- PostgreSQL's version (15 to 18) or on the name of the owner.
with relations as (
  select c.*, case c.relkind when 'r' then 'table' when 'p' then 'partitioned table' when 'v' then 'view'
    when 'm' then 'materialized view' when 'S' then 'sequence' when 'c' then 'type' else c.relkind::text end as kind
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind not in ('i', 'I')
), grants (kind, name, acl) as (
  select 'database', 'current', coalesce(d.datacl, acldefault('d', d.datdba)) from pg_database d
  where d.datname = current_database()
  union all
  select 'schema', n.nspname, coalesce(n.nspacl, acldefault('n', n.nspowner)) from pg_namespace n
  where n.nspname !~ '^pg_|^information_schema$'
  union all
  select r.kind, r.relname, r.relacl from relations r
  union all
  select r.kind, r.relname || '.' || a.attname, a.attacl from relations r join pg_attribute a on a.attrelid = r.oid
  union all
  select 'function', p.oid::regprocedure::text, coalesce(p.proacl, acldefault('f', p.proowner)) from pg_proc p
  where p.pronamespace = 'public'::regnamespace
  union all
  select 'type', t.typname, coalesce(t.typacl, acldefault('T', t.typowner)) from pg_type t
  where t.typnamespace = 'public'::regnamespace and t.typtype in ('d', 'e')
), owners (name, owner) as (
  select r.kind || ' ' || r.relname, r.relowner from relations r
  union all
  select 'function ' || p.oid::regprocedure::text, p.proowner from pg_proc p where p.pronamespace = 'public'::regnamespace
  union all
  select 'type ' || t.typname, t.typowner from pg_type t
  where t.typnamespace = 'public'::regnamespace and t.typtype in ('d', 'e')
), lines (section, object, part, position, line) as (
  select 1, 'extension', 0, e.extname::text, 'extension ' || e.extname from pg_extension e
  union all
  select 1, 'publication', 0, p.pubname, 'publication ' || p.pubname from pg_publication p
  union all
  select 1, 'event trigger', 0, e.evtname, 'event trigger ' || e.evtname from pg_event_trigger e
  union all
  select 1, 'schema', 0, n.nspname, 'schema ' || n.nspname from pg_namespace n
  where n.nspname !~ '^pg_|^information_schema$'
  union all
  select 1, 'role', 0, r.rolname, format('role %s superuser %s inherit %s createrole %s createdb %s login %s replication %s bypassrls %s connections %s',
    r.rolname, r.rolsuper, r.rolinherit, r.rolcreaterole, r.rolcreatedb, r.rolcanlogin, r.rolreplication, r.rolbypassrls,
    r.rolconnlimit)
  from pg_roles r where r.rolname ~ '^certdata_'
  union all
  select 1, 'role', 0, m.member::regrole::text, m.member::regrole::text || ' is a member of ' || m.roleid::regrole::text
  from pg_auth_members m where m.member::regrole::text ~ '^certdata_' and m.roleid::regrole::text ~ '^certdata_'
  union all

  select 2, t.typname, 0, '', format('domain %s as %s%s%s', t.typname, format_type(t.typbasetype, t.typtypmod),
    case when t.typnotnull then ' not null' end, ' default ' || t.typdefault)
  from pg_type t where t.typnamespace = 'public'::regnamespace and t.typtype = 'd'
  union all
  select 2, t.typname, 1, c.conname, format('  constraint %s %s', c.conname, pg_get_constraintdef(c.oid))
  from pg_constraint c join pg_type t on t.oid = c.contypid where t.typnamespace = 'public'::regnamespace
  union all
  select 2, t.typname, 0, '', format('enum %s (%s)', t.typname,
    (select string_agg(e.enumlabel, ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = t.oid))
  from pg_type t where t.typnamespace = 'public'::regnamespace and t.typtype = 'e'
  union all

  select 3, r.relname, 0, '', concat_ws(' ', r.kind, r.relname, case when r.relpersistence <> 'p' then 'unlogged' end,
    'partition by ' || pg_get_partkeydef(r.oid), pg_get_expr(r.relpartbound, r.oid),
    case when r.relrowsecurity then 'row level security' end, case when r.relforcerowsecurity then 'forced' end,
    'with (' || array_to_string(r.reloptions, ', ') || ')', (
      select format('as %s from %s by %s between %s and %s cache %s cycle %s', s.seqtypid::regtype, s.seqstart,
        s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle) from pg_sequence s where s.seqrelid = r.oid))
  from relations r
  union all
  select 3, r.relname, 1, '', 'inherits ' || i.inhparent::regclass::text
  from relations r join pg_inherits i on i.inhrelid = r.oid
  union all
  -- Before version 16 each column has its table's name in front.
  select 3, r.relname, 1, '', regexp_replace(pg_get_viewdef(r.oid), '\m\w+\.', '', 'g')
  from relations r where r.relkind in ('v', 'm')
  union all
  select 3, r.relname, 2, lpad(a.attnum::text, 4, '0'), '  ' || concat_ws(' ', a.attname,
    format_type(a.atttypid, a.atttypmod),
    case when a.attcollation <> t.typcollation then 'collate ' || quote_ident(c.collname) end,
    case when a.attnotnull then 'not null' end,
    case a.attidentity when 'a' then 'generated always as identity' when 'd' then 'generated by default as identity' end,
    case when a.attgenerated = '' then 'default' else 'generated' end || ' ' || pg_get_expr(d.adbin, d.adrelid),
    case when a.attstorage <> t.typstorage then 'storage ' || a.attstorage::text end)
  from relations r
  join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  left join pg_collation c on c.oid = a.attcollation
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where r.relkind in ('r', 'p', 'c')
  union all
  -- Version 18 lists `not null` here, too.
  select 3, r.relname, 3, c.contype::text || c.conname, format('  constraint %s %s', c.conname, pg_get_constraintdef(c.oid))
  from relations r join pg_constraint c on c.conrelid = r.oid where c.contype in ('c', 'f', 'p', 'u', 'x')
  union all
  select 3, r.relname, 4, i.indexrelid::regclass::text, '  ' || pg_get_indexdef(i.indexrelid)
  from relations r join pg_index i on i.indrelid = r.oid
  where not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
  union all
  select 3, r.relname, 5, s.stxname, '  ' || pg_get_statisticsobjdef(s.oid)
  from relations r join pg_statistic_ext s on s.stxrelid = r.oid
  union all
  select 3, r.relname, 6, g.tgname, format('  %s %s', pg_get_triggerdef(g.oid),
    case g.tgenabled when 'A' then 'enabled always' when 'R' then 'enabled on replicas' when 'D' then 'disabled' else 'enabled' end)
  from relations r join pg_trigger g on g.tgrelid = r.oid where not g.tgisinternal
  union all
  select 3, r.relname, 7, w.rulename, '  ' || pg_get_ruledef(w.oid)
  from relations r join pg_rewrite w on w.ev_class = r.oid where w.rulename <> '_RETURN'
  union all
  select 3, r.relname, 8, p.polname, '  ' || concat_ws(' ', 'policy', p.polname,
    case when p.polpermissive then 'permissive' else 'restrictive' end, 'for', p.polcmd, 'to', (
      select string_agg(case role when 0 then 'public' else role::regrole::text end, ', ' order by role::regrole::text)
      from unnest(p.polroles) role),
    'using ' || pg_get_expr(p.polqual, p.polrelid), 'with check ' || pg_get_expr(p.polwithcheck, p.polrelid))
  from relations r join pg_policy p on p.polrelid = r.oid
  union all

  select 4, p.oid::regprocedure::text, 0, '', pg_get_functiondef(p.oid)
  from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind <> 'a'
  union all
  select 4, p.oid::regprocedure::text, 0, '', format('aggregate %s function %s state %s start %s parallel %s',
    p.oid::regprocedure, a.aggtransfn, a.aggtranstype::regtype, a.agginitval, p.proparallel)
  from pg_proc p join pg_aggregate a on a.aggfnoid = p.oid where p.pronamespace = 'public'::regnamespace
  union all

  -- The owner's privileges are left out: version 17 added one.
  select 5, g.kind, 0, g.name || ' ' || e.grantee, format('grant %s on %s %s to %s%s', string_agg(lower(e.privilege_type), ', '
    order by e.privilege_type), g.kind, g.name, case e.grantee when 0 then 'public' else e.grantee::regrole::text end,
    case when e.is_grantable then ' with grant option' end)
  from grants g cross join aclexplode(g.acl) e
  where e.grantee = 0 or (e.grantee::regrole::text ~ '^certdata_'
    -- The tests' database is a copy, and a copy has no privileges of its own.
    and g.kind <> 'database')
  group by g.kind, g.name, e.grantee, e.is_grantable
  union all
  select 5, 'default', 0, d.oid::text, format('default privileges %s %s', d.defaclobjtype, d.defaclacl) from pg_default_acl d
  union all
  select 6, 'owner', 0, o.name, format('owner of %s is %s', o.name, o.owner::regrole)
  from owners o where o.owner <> (select datdba from pg_database where datname = current_database())
  union all
  select 7, 'comment', 0, i.type || ' ' || i.identity, format('comment on %s %s is %L', i.type, i.identity, d.description)
  from pg_description d cross join pg_identify_object(d.classoid, d.objoid, d.objsubid) i
  where d.objoid >= 16384 and d.classoid <> 'pg_extension'::regclass and i.identity ~ '\mpublic\.'
)
select string_agg(case when part = 0 and section in (2, 3, 4) then E'\n' else '' end || line, E'\n'
  order by section, object collate "C", part, position collate "C", line collate "C") || E'\n' as dump
from lines
