import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import t from 'tap'
import { parseConfig } from '../../app/config/config.ts'
import type { Db } from '../../app/db/schema.ts'
import { distrust, regainTrust } from '../../app/db/trust.ts'
import { openStores } from '../../app/main/stores.ts'
import { run as runCommand } from '../command-line.ts'
import { closeAfter, connectOwner, createTestDatabase, secretKey } from '../helper.ts'

const database = await createTestDatabase()
const { operator, reserved } = database
const owner = connectOwner(database)
closeAfter(t, owner, database)
const run = (text: string) => sql.raw(text).execute(owner)
const regain = async (db: Db) => {
  const { ended, ...check } = await regainTrust(db)
  return { ...check, ended: ended.map(({ resource }) => resource) }
}
const right = { repaired: [], faults: [], ended: [] }

const listModes = async (table: string): Promise<string[]> => {
  const { rows } = await sql<{ mode: string }>`
    select distinct tgenabled::text as mode from pg_trigger where tgrelid = ${table}::regclass and not tgisinternal`.execute(
    owner,
  )
  return rows.map(({ mode }) => mode).sort()
}
/** Rows of the log that were written since the last call, for every customer. */
const readLog = async (): Promise<string[]> => {
  const { rows } = await sql<{ line: string }>`
    delete from change_log where customer_id = '*' returning resource || ' ' || record_id as line`.execute(
    operator,
  )
  return rows.map(({ line }) => line).sort()
}
const listDistrusted = async (): Promise<string[]> => {
  const { rows } = await sql<{ distrusted: string[] }>`
    select distrusted from poll_changes(null, 0)`.execute(reserved)
  return rows[0]?.distrusted ?? []
}

t.test('the serving role repairs the modes of triggers, and logs that changes may be missing', async (t) => {
  for (const mode of ['disable trigger all', 'enable trigger all', 'enable replica trigger lab_log_update']) {
    await readLog()
    await run(`alter table lab ${mode}`)
    const { repaired, faults, ended } = await regain(reserved)
    t.ok(repaired.includes('lab.lab_log_update'), mode)
    t.same(await listModes('lab'), ['A'])
    t.same([faults, ended], [[], ['lab']])
    t.same(await readLog(), ['* *', '* *', 'lab *'], 'followers and caches')
  }
  t.same(await regain(reserved), right)
  t.same(await readLog(), [])
})

t.test("an operator's own trigger stays as it is", async (t) => {
  await run(`create trigger lab_own before insert on lab for each row execute function lab_before();
    alter table lab disable trigger lab_own`)
  t.same(await regain(owner), right)
  t.same(await listModes('lab'), ['A', 'D'])
  await run('drop trigger lab_own on lab')
})

const statements = {
  'a missing trigger': 'drop trigger lab_log_delete on lab',
  'another trigger with its name': `drop trigger lab_log_update on lab;
    create trigger lab_log_update after update of title on lab for each row execute function lab_log_update();
    alter table lab enable always trigger lab_log_update`,
  'a child table': 'create table lab_2025 () inherits (lab)',
  'a table that became a partition': `create table all_lab (like lab) partition by list (customer_id);
    alter table all_lab attach partition lab default`,
}

for (const [fault, statement] of Object.entries(statements))
  t.test(`${fault} is named with the statement that repairs it`, async (t) => {
    await run(statement)
    const { faults } = await regain(reserved)
    t.equal(faults.length, 1, String(faults))
    await run(String(/`(.*)`/s.exec(String(faults[0]))?.[1]))
    t.same(await regain(reserved), right)
  })

const functions = {
  'a changed body': `create or replace function lab_log_update() returns trigger language plpgsql
    set search_path = public, pg_temp as $$ begin return null; end $$`,
  'another search path': 'alter function lab_log_update() set search_path = pg_temp',
  'a function that triggers call': `create or replace function former_end(owner text, of_resource text, id text)
    returns timestamptz language sql as $$ select null::timestamptz $$`,
}

for (const [fault, statement] of Object.entries(functions))
  t.test(`${fault} is named, and no distrust ends`, async (t) => {
    const { rows } = await sql<{ text: string }>`
      select pg_get_functiondef(oid) as text from pg_proc where proname in ('lab_log_update', 'former_end')`.execute(
      owner,
    )
    await distrust(reserved, ['lab'])
    await run(statement)
    const { faults, ended } = await regain(owner)
    t.match(faults, [/^function public\.(lab_log_update|former_end)\(.*\) .*app\/db\/schema\.sql/])
    t.same([faults.length, ended], [1, []])
    await readLog()
    for (const { text } of rows) await run(text)
    t.same((await regain(owner)).ended, ['lab'])
    t.same(await readLog(), ['* *', 'lab *'], 'followers, because changes of the meantime may be missing')
  })

t.test('a writer that holds the table is not interrupted', async (t) => {
  await run('alter table lab enable trigger all')
  const repaired = await operator.transaction().execute(async (trx) => {
    await sql`lock table lab in row exclusive mode`.execute(trx)
    return regain(reserved)
  })
  t.ok(repaired.faults.every((fault) => /`alter table public\.lab enable always trigger \w+`/.test(fault)))
  t.ok(repaired.faults.length > 0)
  t.same((await regain(reserved)).ended, ['lab'])
})

t.test('distrust is written once, for known resources only', async (t) => {
  await readLog()
  const both = await Promise.all([
    distrust(reserved, ['lab', 'settings', 'nonsense']),
    distrust(reserved, ['lab', 'settings']),
  ])
  for (const { distrusted } of both)
    t.same(
      distrusted.map(({ resource }) => resource),
      ['lab', 'settings'],
    )
  t.same(await listDistrusted(), ['lab', 'settings'])
  t.same(await readLog(), ['lab *', 'settings *'])
  t.same((await regain(reserved)).ended, ['lab', 'settings'])
  t.same(await listDistrusted(), [])
})

t.test('a schema of a later release is left to that release', async (t) => {
  await distrust(reserved, ['lab'])
  await run(`insert into kysely_migration (name, timestamp) values ('9999-later', '')`)
  t.same(await regain(reserved), right)
  t.same(await listDistrusted(), ['lab'])
  await run(`delete from kysely_migration where name = '9999-later'`)
  t.same((await regain(reserved)).ended, ['lab'])
})

t.test('the serving role cannot write the table itself', async (t) => {
  for (const statement of [
    'delete from distrusted_resources',
    `insert into distrusted_resources values ('lab')`,
  ])
    await t.rejects(sql.raw(statement).execute(reserved), /permission denied/)
})

const damage = () => run('alter table lab disable trigger all; alter table lab enable trigger all')
const secrets = { SECRET_KEY: secretKey, LOG_LEVEL: 'silent', NODE_ENV: 'test' }

t.test(
  '`certdata migrate` prints repairs, faults with their statements, and the end of the distrust',
  async (t) => {
    const migrate = () => runCommand(['migrate'], { env: { ...secrets, DATABASE_ADMIN_URL: database.url } })
    t.match(await migrate(), { code: 0, stdout: /schema up to date/ })
    await damage()
    await run('drop trigger lab_words_update on lab')
    const faulty = await migrate()
    t.equal(faulty.code, 0, 'a deployment goes on')
    t.match(faulty.stdout, /the trigger lab\.lab_log_update fires always again/)
    t.match(faulty.stdout, /trigger lab_words_update is missing: `CREATE TRIGGER .*`/)
    t.notMatch(faulty.stdout, /schema up to date/)
    await run(String(/`(.*)`/.exec(faulty.stdout)?.[1]))
    t.match((await migrate()).stdout, /cached answers of lab are trusted again; its history began at 20/)
  },
)

t.test('a start repairs modes, logs faults with their statements, and ends the distrust', async (t) => {
  const config = parseConfig({ ...secrets, DATABASE_URL: database.url })
  const packageRoot = fileURLToPath(new URL('../..', import.meta.url))
  const start = async () => {
    const lines: string[] = []
    const warn = (details: object, message: string) =>
      void lines.push(`${message} ${JSON.stringify(details)}`)
    const { signal } = new AbortController()
    const stores = await openStores({ config, packageRoot, log: { info: () => {}, warn }, signal })
    await stores.close()
    return lines.join('\n')
  }
  t.equal(await start(), '')
  await damage()
  await run('drop trigger lab_words_update on lab')
  t.match(await start(), /repaired a trigger.*lab\.lab_log_update.*\n.*trigger lab_words_update is missing/s)
  t.same(await listDistrusted(), ['lab'])
  await run(String(/`(.*)`/s.exec(String((await regain(reserved)).faults[0]))?.[1]))
  t.match(await start(), /trusted again.*lab/)
  t.same(await listDistrusted(), [])
})
