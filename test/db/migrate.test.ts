import pg from 'pg'
import t from 'tap'
import { migrate } from '../../app/db/migrate.ts'
import { connectOwner, createTestDatabase, until } from '../helper.ts'

const database = await createTestDatabase()
const owner = connectOwner(database)
t.teardown(async () => {
  await owner.destroy()
  await database.close()
})
const connect = async () => {
  const client = new pg.Client({ connectionString: database.url, statement_timeout: 20_000 })
  await client.connect()
  t.teardown(() => client.end())
  return client
}

t.test('others go on while a migration waits for a lock', async (t) => {
  const [slow, other, watcher] = [await connect(), await connect(), await connect()]
  await slow.query(`insert into customers (customer_id, name) values ('acme', 'Acme')`)
  await slow.query(
    `insert into products (customer_id, id, name) values ('acme', 'p', 'one'), ('acme', 'q', 'one')`,
  )
  // As if it had not run yet.
  await slow.query(`drop function former_end; delete from kysely_migration where name = '0022-row-triggers'`)
  await slow.query('begin')
  await slow.query(`update products set name = 'slow' where id = 'p'`)
  const migrated = migrate(owner)
  const isWaiting = async () => {
    const { rows } = await watcher.query(
      `select from pg_locks where mode = 'ShareRowExclusiveLock' and not granted`,
    )
    return rows.length > 0
  }
  await until('the migration waits', isWaiting)
  await other.query(`update products set name = 'other' where id = 'q'`)
  const { rows } = await other.query('select name from products order by id')
  t.same(rows, [{ name: 'one' }, { name: 'other' }], 'while the slow writer still holds its lock')
  await slow.query('commit')
  t.same(await migrated, ['0022-row-triggers'])
  t.same(await migrate(owner), [])
})
