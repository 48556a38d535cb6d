import { sql } from 'kysely'
import { operatorRole, readerRole } from './roles.ts'
import type { Db } from './schema.ts'

type Rights = {
  login: string
  database: string
  createsRoles: boolean
  inherits: boolean
  isSuperuser: boolean
  hasSchema: boolean
  createsTables: boolean
  sharesSchema: boolean
  createsTemporary: boolean
  roles: { name: string; exists: boolean; isUsable: boolean; isGrantable: boolean }[]
}

/** Before PostgreSQL 16, `set` is no privilege of a role, and CREATEROLE may grant every role. */
const readRights = async (db: Db): Promise<Rights> => {
  const { rows } = await sql<Rights>`
    with version as (
      select current_setting('server_version_num')::integer >= 160000 as has_set
    )
    select l.rolname as login, current_database() as database,
      l.rolcreaterole as "createsRoles", l.rolinherit as inherits, l.rolsuper as "isSuperuser",
      n.oid is not null as "hasSchema",
      coalesce(has_schema_privilege(n.oid, 'usage') and has_schema_privilege(n.oid, 'create'), false) as "createsTables",
      coalesce(has_schema_privilege('public', n.oid, 'usage') or has_schema_privilege(n.oid, 'usage with grant option')
        or (select count(*) filter (where has_schema_privilege(r.oid, n.oid, 'usage')) = 2 from pg_roles r
          where r.rolname in (${readerRole}, ${operatorRole})), false) as "sharesSchema",
      has_database_privilege(current_database(), 'temporary') as "createsTemporary",
      (select jsonb_agg(jsonb_build_object('name', wanted.name, 'exists', r.oid is not null,
        'isUsable', coalesce(pg_has_role(r.oid, 'usage')
          and pg_has_role(r.oid, case when version.has_set then 'set' else 'member' end), false),
        'isGrantable', coalesce(case when version.has_set then pg_has_role(r.oid, 'member with admin option')
          else l.rolcreaterole end, false)) order by wanted.place)
        from unnest(array[${readerRole}, ${operatorRole}]) with ordinality as wanted (name, place)
        left join pg_roles r on r.rolname = wanted.name) as roles
    from version cross join pg_roles l left join pg_namespace n on n.nspname = 'public'
    where l.rolname = current_user`.execute(db)
  return rows[0] as Rights
}

const quote = (name: string): string =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`

/** Returns the statements that give the login what it lacks, in order. */
const listStatements = (rights: Rights): string[] => {
  const login = quote(rights.login)
  const missing = rights.roles.filter(({ exists }) => !exists).map(({ name }) => name)
  const created = rights.createsRoles ? [] : missing
  const unusable = rights.roles.filter(({ name, exists, isUsable, isGrantable }) =>
    exists ? !isUsable && !isGrantable : created.includes(name),
  )
  const granted = unusable.map(({ name }) => name).join(', ')
  const statements = created.map((name) => `create role ${name} nologin`)
  if (granted !== '' && !rights.inherits) statements.push(`alter role ${login} inherit`)
  if (granted !== '') statements.push(`grant ${granted} to ${login}`)
  if (!rights.hasSchema) statements.push(`create schema public authorization ${login}`)
  else if (!rights.createsTables) statements.push(`grant usage, create on schema public to ${login}`)
  if (rights.hasSchema && !rights.sharesSchema)
    statements.push(`grant usage on schema public to ${login} with grant option`)
  if (!rights.createsTemporary) {
    const database = quote(rights.database)
    statements.push(`grant temporary on database ${database} to ${login} with grant option`)
  }
  return statements
}

/** Rejects if another login owns the tables. The message names it. Accepts an empty database. */
export const requireOwner = async (db: Db): Promise<void> => {
  const { rows } = await sql<{ login: string; owner: string }>`
    select current_user as login, pg_get_userbyid(c.relowner) as owner
    from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    where c.relname = 'kysely_migration' and not pg_has_role(c.relowner, 'usage')`.execute(db)
  const [other] = rows
  if (other === undefined) return
  throw new Error(
    `The tables belong to the login ${other.owner}, not to ${other.login}: set DATABASE_ADMIN_URL to that login`,
  )
}

/**
 * Rejects if the login may not migrate this database. The message has the SQL that another login must run: an
 * administrator in this database, who needs to be a superuser only if the host has no other way.
 */
export const requireRights = async (db: Db): Promise<void> => {
  await requireOwner(db)
  const rights = await readRights(db)
  if (rights.isSuperuser) return
  const statements = listStatements(rights)
  if (statements.length === 0) return
  throw new Error(
    [
      `The login ${rights.login} may not migrate the database ${rights.database}. Let an administrator run this in that database:`,
      ...statements.map((statement) => `  ${statement};`),
    ].join('\n'),
  )
}
