import { sql } from 'kysely'
import { connectOwner, type TestDatabase } from '../../test/helper.ts'

/**
 * Delays every statement of the service that reads products, without using the processor, as a slow disk would: a
 * policy sleeps once for each statement.
 */
export const slowDown = async (database: TestDatabase, milliseconds: number): Promise<void> => {
  const owner = connectOwner(database)
  await sql
    .raw(`create policy slow on products as restrictive for select to certdata_reader
      using ((select pg_sleep(${milliseconds / 1000})) is not null)`)
    .execute(owner)
  await owner.destroy()
}
