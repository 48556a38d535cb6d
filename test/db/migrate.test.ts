import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import {
  listBaseline,
  listPendingMigrations,
  migrate,
  migrations,
  orderSql,
  readLaterMigration,
  retire,
} from '../../app/db/migrate.ts'
import {
  buildIndex,
  changeInBatches,
  readSqlMigration,
  type StepwiseMigration,
} from '../../app/db/migration-steps.ts'
import { closeAfter, connectOwner, createTestDatabase, until } from '../helper.ts'
import { testPostgres } from '../servers.ts'

const database = await testPostgres()
const owner = connectOwner(database)
t.teardown(async () => {
  await owner.destroy()
  await database.stop()
})
const connect = async () => {
  const client = new pg.Client({ connectionString: database.url, statement_timeout: 20_000 })
  await client.connect()
  t.teardown(() => client.end())
  return client
}

const plant = (work: (db: Kysely<unknown>) => Promise<unknown>, isStepwise = false) => {
  const planted = {
    runs: 0,
    migration: {
      async up(db) {
        planted.runs++
        await work(db)
      },
      ...(isStepwise ? { isStepwise: true } : {}),
    } as StepwiseMigration,
  }
  return planted
}

const locking = {
  ...migrations,
  '9000-locking': plant((db) => sql`lock table products in share row exclusive mode`.execute(db)).migration,
}

t.test('other sessions continue while a migration waits for a lock', async (t) => {
  await migrate(owner)
  const [slow, other, watcher] = [await connect(), await connect(), await connect()]
  await slow.query(`insert into customers (customer_id, name) values ('acme', 'Acme')`)
  await slow.query(
    `insert into products (customer_id, id, name) values ('acme', 'p', 'one'), ('acme', 'q', 'one')`,
  )
  await slow.query('begin')
  await slow.query(`update products set name = 'slow' where id = 'p'`)
  const migrated = migrate(owner, locking)
  const isWaiting = async () => {
    const { rows } = await watcher.query(
      `select from pg_locks where mode = 'ShareRowExclusiveLock' and not granted
        and database = (select oid from pg_database where datname = current_database())`,
    )
    return rows.length > 0
  }
  await until('the migration waits', isWaiting)
  await other.query(`update products set name = 'other' where id = 'q'`)
  const { rows } = await other.query('select name from products order by id')
  t.same(rows, [{ name: 'one' }, { name: 'other' }], 'while the slow writer still holds its lock')
  await slow.query('commit')
  t.same(await migrated, ['9000-locking'])
  t.same(await migrate(owner, locking), [])
})

t.test('refuses a database with migrations that this version does not have', async (t) => {
  const old = await testPostgres()
  const oldOwner = connectOwner(old)
  t.teardown(async () => {
    await oldOwner.destroy()
    await old.stop()
  })
  const unknown = { '0001-records': plant((db) => sql`create table customers ()`.execute(db)).migration }
  await migrate(oldOwner, unknown)
  const run = async () => (await sql`select name from kysely_migration order by name`.execute(oldOwner)).rows
  t.same(await run(), [{ name: '0001-records' }])
  await t.rejects(migrate(oldOwner), {
    message: /does not know \(0001-records\).* customers export .* customers import /,
  })
  t.same(await run(), [{ name: '0001-records' }])
  t.same((await sql`select to_regclass('products') as products`.execute(oldOwner)).rows, [{ products: null }])
})

t.test('each migration commits on its own, and the first error ends the run', async (t) => {
  const all = {
    ...locking,
    '9001-good': plant((db) => sql`create table planted (id integer primary key)`.execute(db)).migration,
    '9002-bad': plant(async (db) => {
      await sql`create table half ()`.execute(db)
      await sql`select 1 / 0`.execute(db)
    }).migration,
    '9003-never': plant((db) => sql`create table never ()`.execute(db)).migration,
  }
  await t.rejects(migrate(owner, all), { code: '22012' })
  t.same(await listPendingMigrations(owner, all), ['9002-bad', '9003-never'])
  const { rows } = await sql<object>`
    select to_regclass('planted') is not null as planted, to_regclass('half') as half`.execute(owner)
  t.same(rows, [{ planted: true, half: null }])
})

t.test('a migration may be a file of SQL with several statements', async (t) => {
  const file = join(t.testdir(), '9001-file.sql')
  writeFileSync(file, `create function two() returns text language sql as $$ select ';' $$; select two();`)
  const all = { ...locking, '9001-good': plant(async () => {}).migration }
  const withFile = { ...all, '9002-file': readSqlMigration(pathToFileURL(file)) }
  t.same(await migrate(owner, withFile), ['9002-file'])
})

t.test('SQL runs in the order of its numbers, and all-tables runs last', async (t) => {
  const folder = 'db/migrations/0001-baseline'
  const paths = [
    'features/b/51-b.sql',
    `${folder}/50-all-tables.sql`,
    'features/a/43-a.sql',
    `${folder}/05-c.sql`,
  ]
  const last = `${folder}/50-all-tables.sql`
  t.same(orderSql(paths), [`${folder}/05-c.sql`, 'features/a/43-a.sql', 'features/b/51-b.sql', last])
  t.throws(
    () => orderSql([...paths, 'features/c/43-c.sql']),
    /number 43 is used twice: .*43-a.sql, .*43-c.sql/,
  )
  t.match(listBaseline().at(-1)?.pathname, /50-all-tables\.sql$/)
})

t.test('the migration of a removed feature is retired, and its table keeps its data', async (t) => {
  const database = await createTestDatabase()
  const removed = connectOwner(database)
  closeAfter(t, removed, database)
  const ofFeature = plant((db) => sql`create table visits as select 1 as visit`.execute(db)).migration
  t.same(await migrate(removed, { ...migrations, '0009-visits': ofFeature }), ['0009-visits'])
  const later = plant((db) => sql`create table later ()`.execute(db)).migration
  const unretired = { ...migrations, '0010-later': later }
  await t.rejects(migrate(removed, unretired), /does not know \(0009-visits\)/)
  t.same(await migrate(removed, { ...unretired, ...retire(['0009-visits']) }), ['0010-later'])
  t.same((await sql`select visit from visits`.execute(removed)).rows, [{ visit: 1 }])
})

t.test('a migration adds a table of records by one call', async (t) => {
  const added = await createTestDatabase()
  const addedOwner = connectOwner(added)
  closeAfter(t, addedOwner, added)
  const file = join(t.testdir(), '0002-widgets.sql')
  writeFileSync(
    file,
    `create table widgets (
      customer_id text collate "C" not null references customers (customer_id) on delete cascade,
      id text collate "C" not null,
      name text collate "C" not null,
      due_on calendar_date,
      due_on_sort date not null,
      tags text[] collate "C" not null default '{}',
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      created_xid xid8,
      primary key (customer_id, id)
    );
    select pg_temp.add_record_table('widgets', array['tags'], 'r.name');`,
  )
  const widgets = readLaterMigration(pathToFileURL(file))
  await migrate(addedOwner, { ...migrations, '0002-widgets': widgets })
  const { operator } = added
  await sql
    .raw(`insert into customers (customer_id, name) values ('acme', 'Acme');
    insert into widgets (customer_id, id, name, tags) values ('acme', 'kept', 'Kept', '{a}'), ('acme', 'gone', 'Gone', '{b}');
    delete from widgets where id = 'gone'`)
    .execute(operator)
  const { rows } = await sql<{ old: object }>`
    select (select array_agg(record_id order by position) from change_log where resource = 'widgets') as changed,
      (select old from record_history where resource = 'widgets' and old is not null) as old,
      (select array_agg(value) from elements where resource = 'widgets') as elements,
      (select array_agg(id) from record_words where resource = 'widgets') as words,
      (select count(*)::integer from history_begun where resource = 'widgets') as begun,
      (select array_agg(policyname::text order by policyname) from pg_policies where tablename = 'widgets') as policies,
      (select relforcerowsecurity from pg_class where oid = 'widgets'::regclass) as forced,
      (select array_agg(distinct tgenabled::text) from pg_trigger
        where tgrelid = 'widgets'::regclass and not tgisinternal) as modes`.execute(operator)
  t.match(rows, [
    {
      changed: ['kept', 'gone', 'gone'],
      elements: ['a'],
      words: ['kept'],
      begun: 1,
      policies: ['operator', 'reader'],
      forced: true,
      modes: ['A'],
    },
  ])
  t.same(Object.keys(rows[0]?.old ?? {}).sort(), ['created_at', 'due_on', 'name', 'tags'])
})

const before = {
  ...locking,
  '9001-good': plant(async () => {}).migration,
  '9002-file': plant(async () => {}).migration,
}

t.test('the second of two migrations waits without a snapshot, and then does nothing', async (t) => {
  const second = connectOwner(database)
  t.teardown(() => second.destroy())
  const entered = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const slow = plant(async () => {
    entered.resolve()
    await released.promise
  })
  const all = { ...before, '9003-slow': slow.migration }
  const first = migrate(owner, all)
  await entered.promise
  const watcher = await connect()
  const other = migrate(second, all)
  const hasTried = async () => {
    const { rows } = await watcher.query(
      `select from pg_stat_activity where datname = current_database() and state = 'idle'
        and query like '%pg_try_advisory_lock%' and backend_xmin is null`,
    )
    return rows.length > 0
  }
  await until('the second has tried the lock', hasTried)
  released.resolve()
  t.same([await first, await other], [['9003-slow'], []])
  t.equal(slow.runs, 1)
})

const withSlow = { ...before, '9003-slow': plant(async () => {}).migration }

t.test('repeats a batch that meets a locked row and keeps the batches before it', async (t) => {
  await sql`insert into planted select generate_series(1, 10)`.execute(owner)
  await sql`alter table planted add column filled boolean`.execute(owner)
  const [holder, watcher] = [await connect(), await connect()]
  await holder.query('begin')
  await holder.query('select from planted where id = 7 for update')
  const filled = async () =>
    (await watcher.query('select count(*)::int as n from planted where filled')).rows[0].n as number
  const planted = plant(
    (db) =>
      changeInBatches(
        db,
        0,
        (after) => sql<{ last: number | null }>`
          with batch as (select id from planted where id > ${after} order by id limit 3),
            changed as (update planted p set filled = true from batch b where p.id = b.id returning p.id)
          select max(id) as last from changed`,
      ),
    true,
  )
  const migrated = migrate(owner, { ...withSlow, '9004-fill': planted.migration })
  await until('the rows before the locked one are visible', async () => (await filled()) === 6)
  const isBatch = async (state: string) => {
    const { rows } = await watcher.query(
      `select from pg_stat_activity where datname = current_database() and query like '%with batch%' and ${state}`,
    )
    return rows.length > 0
  }
  await until('the batch waits', () => isBatch(`wait_event_type = 'Lock'`))
  await until('the batch has given up', () => isBatch(`state = 'idle'`))
  await holder.query('commit')
  t.same(await migrated, ['9004-fill'])
  t.equal(await filled(), 10)
  t.equal(planted.runs, 1, 'only the batch was repeated')
})

t.test('drops an index whose build was interrupted and builds it again', async (t) => {
  const withFill = { ...withSlow, '9004-fill': plant(async () => {}).migration }
  const build = plant((db) => buildIndex(db, 'planted_filled', 'planted (filled)'), true)
  const all = { ...withFill, '9005-index': build.migration }
  const [exporting, watcher] = [await connect(), await connect()]
  await exporting.query('begin isolation level repeatable read')
  await exporting.query('select from customers')
  const lost = connectOwner(database)
  const interrupted = migrate(lost, all).catch((error: Error) => error)
  const builder = async () =>
    (
      await watcher.query(
        `select pid from pg_stat_progress_create_index
          where datname = current_database() and phase like 'waiting%'`,
      )
    ).rows[0]?.pid as number | undefined
  await until('the build waits for the export', async () => (await builder()) !== undefined)
  await watcher.query('select pg_terminate_backend($1)', [await builder()])
  t.type(await interrupted, Error)
  await lost.destroy().catch(() => {})
  const validity = async () =>
    (
      await watcher.query(
        `select indisvalid as valid from pg_index where indexrelid = to_regclass('planted_filled')`,
      )
    ).rows
  t.same(await validity(), [{ valid: false }])
  await exporting.query('commit')
  t.same(await migrate(owner, all), ['9005-index'])
  t.same(await validity(), [{ valid: true }])
})
