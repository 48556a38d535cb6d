import { Migrator } from 'kysely/migration'
import pg from 'pg'
import t from 'tap'
import { migrate, migrations } from '../../app/db/migrate.ts'
import { connectOwner, until } from '../helper.ts'
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

t.test('others go on while a migration waits for a lock', async (t) => {
  const names = Object.keys(migrations)
  const locking = names.indexOf('0022-row-triggers')
  const earlier = Object.fromEntries(Object.entries(migrations).slice(0, locking))
  const migrator = new Migrator({ db: owner, provider: { getMigrations: async () => earlier } })
  t.equal((await migrator.migrateToLatest()).error, undefined)
  const [slow, other, watcher] = [await connect(), await connect(), await connect()]
  await slow.query(`insert into customers (customer_id, name) values ('acme', 'Acme')`)
  await slow.query(
    `insert into products (customer_id, id, name) values ('acme', 'p', 'one'), ('acme', 'q', 'one')`,
  )
  await slow.query('begin')
  await slow.query(`update products set name = 'slow' where id = 'p'`)
  const migrated = migrate(owner)
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
  t.same(await migrated, names.slice(locking))
  t.same(await migrate(owner), [])
})
