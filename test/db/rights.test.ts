import pg from 'pg'
import t, { type Test } from 'tap'
import { migrate } from '../../app/db/migrate.ts'
import { connectOwner } from '../helper.ts'
import { startInTemp } from '../servers.ts'

// A separate server, because roles belong to the server. On PostgreSQL 18, the login of a second database has no ADMIN
// option on the roles of the first. TEST_DATABASE_URL, which shares its roles with other tests, is not used here.
const server = await startInTemp(String(process.pid))
t.teardown(() => server.release())

const withUser = (login: string, database: string) => {
  const url = new URL(server.url.replace('@/', '@localhost/'))
  return `postgresql://${login}@/${database}${url.search}`
}
const runAs = async (login: string, database: string, ...statements: string[]) => {
  const client = new pg.Client({ connectionString: withUser(login, database) })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
const administer = (database: string, ...statements: string[]) => runAs('certdata', database, ...statements)

/** Migrates. Returns the message of the refusal, or `undefined`. */
const migrateAs = async (login: string, database: string): Promise<string | undefined> => {
  const db = connectOwner({ url: withUser(login, database) })
  try {
    await migrate(db)
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    await db.destroy()
  }
}

const listPrinted = (message = '') => [...message.matchAll(/^ {2}(.+);$/gm)].map(([, line = '']) => line)

/** Runs the printed statements as an administrator. Then the login can migrate, also a second time. */
const followMessage = async (t: Test, login: string, database: string, expected: readonly string[]) => {
  const message = await migrateAs(login, database)
  t.match(message, `The login ${login} may not migrate the database ${database}`)
  t.same(listPrinted(message), expected)
  await administer(database, ...listPrinted(message))
  t.equal(await migrateAs(login, database), undefined, 'migrates')
  t.equal(await migrateAs(login, database), undefined, 'and is up to date')
}

const bothRoles = 'certdata_reader, certdata_operator'

t.test('a login without CREATEROLE, on a server without the roles', async (t) => {
  await administer('postgres', 'create role plain login', 'create database plain owner plain')
  await followMessage(t, 'plain', 'plain', [
    'create role certdata_reader nologin',
    'create role certdata_operator nologin',
    `grant ${bothRoles} to plain`,
  ])
})

t.test('the owner of a second database on the same server', async (t) => {
  await administer('postgres', 'create role second login createrole', 'create database second owner second')
  await followMessage(t, 'second', 'second', [`grant ${bothRoles} to second`])
})

t.test('a login with an unusual name that inherits no rights', async (t) => {
  await administer(
    'postgres',
    'create role "New-Owner" login noinherit',
    'create database third owner "New-Owner"',
  )
  await followMessage(t, 'New-Owner', 'third', [
    'alter role "New-Owner" inherit',
    `grant ${bothRoles} to "New-Owner"`,
  ])
})

t.test('a login that does not own the database, which is closed to the public', async (t) => {
  await administer(
    'postgres',
    'create role guest login',
    `grant ${bothRoles} to guest`,
    'create database closed',
  )
  await administer(
    'closed',
    'revoke all on database closed from public',
    'revoke all on schema public from public',
    'grant connect on database closed to guest',
  )
  await followMessage(t, 'guest', 'closed', [
    'grant usage, create on schema public to guest',
    'grant usage on schema public to guest with grant option',
    'grant temporary on database closed to guest with grant option',
  ])
  await runAs('guest', 'closed', 'set role certdata_operator', 'create temp table import_seen (id text)')
  await runAs('guest', 'closed', 'set role certdata_reader', 'select from products')
})

t.test('a database without the schema public', async (t) => {
  await administer('postgres', 'create database empty owner plain')
  await administer('empty', 'drop schema public')
  await followMessage(t, 'plain', 'empty', ['create schema public authorization plain'])
})

t.test('another login than the owner of the tables', async (t) => {
  await administer('postgres', 'grant all on database second to guest')
  const message = 'The tables belong to the login second, not to guest: set DATABASE_ADMIN_URL to that login'
  t.equal(await migrateAs('guest', 'second'), message)
})

t.test('a login whose role is granted by way of a group', async (t) => {
  await administer(
    'postgres',
    'create role administrators',
    `grant ${bothRoles} to administrators`,
    'create role member login in role administrators',
    'create database grouped owner member',
  )
  t.equal(await migrateAs('member', 'grouped'), undefined)
})
