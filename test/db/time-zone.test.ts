import { sql } from 'kysely'
import t from 'tap'
import { asCustomer, closeAfter, connectOwner, createTestApp, createTestDatabase } from '../helper.ts'

/** `today` begins at 00:00 UTC in any time zone of the database. */
for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12']) {
  t.test(zone, async (t) => {
    const database = await createTestDatabase()
    const owner = connectOwner(database)
    await sql`do $$ begin execute format('alter database %I set timezone = ${sql.raw(`''${zone}''`)}', current_database()); end $$`.execute(
      owner,
    )
    const app = await createTestApp(database)
    closeAfter(t, app, owner, database)
    const { get } = await asCustomer(database, app, 'zoned')
    await sql`insert into products (customer_id, id, name) values ('zoned', 'p', 'one')`.execute(owner)
    const count = async (filter: string) => (await get(`/v1/products?${filter}`)).json().data.length
    t.same(
      [await count('updated_at[gte]=today'), await count('updated_at[gte]=today%2B1d')],
      [1, 0],
      'changed today, and not tomorrow',
    )
  })
}
