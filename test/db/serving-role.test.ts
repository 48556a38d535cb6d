import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { parseConfig } from '../../app/config/config.ts'
import { createSecrets } from '../../app/config/secrets.ts'
import { createDb, createPool, readerRole } from '../../app/db/connect.ts'
import type { Db } from '../../app/db/schema.ts'
import { features } from '../../app/features.ts'
import { prepareDatabase } from '../../app/local/prepare.ts'
import { openStores } from '../../app/main/stores.ts'
import { resourceNames } from '../../app/records/resources/index.ts'
import { createTestDatabase } from '../helper.ts'
import { makeDataFolder, testPostgres } from '../servers.ts'

/** Each of these that the serving role reads must have the same policy. */
const tablesOfFeatures = new Set(features.flatMap(({ customerTables = {} }) => Object.keys(customerTables)))

const database = await createTestDatabase()
t.teardown(() => database.close())
const query = async <Row>(db: Db, text: string): Promise<Row[]> => (await sql.raw<Row>(text).execute(db)).rows

const packageRoot = join(import.meta.dirname, '../..')
const quiet = { info: () => {}, warn: () => {} }
const secrets = { SECRET_KEY: 'a secret of the tests; longer than thirty-two characters' }

const check = async (test: Test, db: Db) => {
  const [role] = await query<object>(
    db,
    `select current_user::text as name, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication
     from pg_roles where rolname = current_user`,
  )
  const rights = ['rolsuper', 'rolbypassrls', 'rolcreaterole', 'rolcreatedb', 'rolreplication']
  const none = Object.fromEntries(rights.map((right) => [right, false]))
  test.same(role, { name: readerRole, ...none })
  for (const name of resourceNames.filter((each) => each !== 'countries')) {
    test.same(await query(db, `select from ${name}`), [], `${name}: nothing before a customer is set`)
  }
  const [demo] = await query<{ n: number }>(
    db,
    `select count(r.*) as n from (select set_config('app.customer_id', 'demo', true) as id offset 0) s
     left join certificates r on r.customer_id = s.id`,
  )
  return demo?.n ?? 0
}

t.test('in embedded mode, with the owner as login, the serving role answers requests', async (t) => {
  const folder = makeDataFolder('role')
  const config = parseConfig({ DATA_DIR: join(folder, 'data'), ...secrets })
  const stores = await openStores({ config, packageRoot, log: quiet, signal: new AbortController().signal })
  t.teardown(async () => {
    await stores.close()
    rmSync(folder, { recursive: true, force: true })
  })
  t.ok((await check(t, stores.db)) > 0, 'and see the customer that they set')
})

t.test('on a configured database, with the owner as login, the serving role answers requests', async (t) => {
  // The signing keys of a copied test database are sealed with another secret.
  const server = await testPostgres()
  const owner = createDb(createPool(server.url, { max: 1, applicationName: 'test', onError: () => {} }))
  await prepareDatabase(owner, createSecrets([secrets.SECRET_KEY]))
  await owner.destroy()
  const config = parseConfig({ DATABASE_URL: server.url, ...secrets })
  const stores = await openStores({ config, packageRoot, log: quiet, signal: new AbortController().signal })
  t.teardown(async () => {
    await stores.close()
    await server.stop()
  })
  t.ok((await check(t, stores.db)) > 0)
})

t.test('the serving role owns nothing and is a member of no role', async (t) => {
  const owned = await query(
    database.operator,
    `select deptype from pg_shdepend where refclassid = 'pg_authid'::regclass
     and refobjid = '${readerRole}'::regrole and deptype = 'o'`,
  )
  t.same(owned, [])
  const roles = await query(
    database.operator,
    `select roleid::regrole from pg_auth_members where member = '${readerRole}'::regrole`,
  )
  t.same(roles, [])
})

t.test('the serving role reads and cannot change the tables, including future ones', async (t) => {
  const rows = await query<{ name: string; reads: boolean; changes: boolean }>(
    database.operator,
    `select c.relname as name, has_any_column_privilege('${readerRole}', c.oid, 'select') as reads,
       has_any_column_privilege('${readerRole}', c.oid, 'insert, update')
         or has_table_privilege('${readerRole}', c.oid, 'delete, truncate, trigger') as changes
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')`,
  )
  t.ok(rows.length > 15)
  const names = (of: typeof rows) => of.map(({ name }) => name).sort()
  const ofKernel = ({ name }: { name: string }) => !tablesOfFeatures.has(name)
  const bookkeeping = ['kysely_migration', 'kysely_migration_lock']
  const history = ['history_begun', 'record_history', 'reference_history']
  t.same(
    names(rows.filter(ofKernel).filter(({ reads }) => reads)),
    [
      ...resourceNames,
      'change_log',
      'elements',
      'record_words',
      'removals',
      'audit_copies',
      ...history,
      ...bookkeeping,
    ].sort(),
  )
  t.same(names(rows.filter(({ changes }) => changes)), [])
})

t.test('its policy limits the serving role to one customer', async (t) => {
  const policies = await query<{ name: string; cmd: string; qual: string }>(
    database.operator,
    `select tablename as name, cmd, qual from pg_policies
     where '${readerRole}' = any(roles) or 'public' = any(roles) order by 1`,
  )
  const own = "(customer_id = NULLIF(current_setting('app.customer_id'::text, true), ''::text))"
  const ownOrAll =
    "(customer_id = ANY (ARRAY[NULLIF(current_setting('app.customer_id'::text, true), ''::text), '*'::text]))"
  const readable = await query<{ name: string }>(
    database.operator,
    `select c.relname as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and has_any_column_privilege('${readerRole}', c.oid, 'select')`,
  )
  const readableOfFeatures = readable.map(({ name }) => name).filter((name) => tablesOfFeatures.has(name))
  t.same(
    policies.map(({ name }) => name),
    [
      ...resourceNames.filter((name) => name !== 'countries'),
      'change_log',
      'elements',
      'record_words',
      'removals',
      'history_begun',
      'record_history',
      'audit_copies',
      ...readableOfFeatures,
    ].sort(),
  )
  for (const { name, cmd, qual } of policies) {
    t.same(
      { cmd, qual },
      {
        cmd: 'SELECT',
        qual: ['change_log', 'record_words', 'removals', 'history_begun'].includes(name) ? ownOrAll : own,
      },
      name,
    )
  }
})

t.test('only the serving role may run its functions, as the owner with a fixed search path', async (t) => {
  const functions = await query<{ name: string; safe: boolean; open: boolean }>(
    database.operator,
    `select proname as name, coalesce('search_path=public, pg_temp' = any(proconfig), false) as safe,
       has_function_privilege('public', oid, 'execute') as open
     from pg_proc where pronamespace = 'public'::regnamespace and prosecdef`,
  )
  t.ok(functions.length >= 15)
  t.same(
    functions.filter(({ safe, open }) => !safe || open),
    [],
  )
})
