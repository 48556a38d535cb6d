import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { connectOwner, createTestDatabase } from '../helper.ts'

const at = (name: string) => join(import.meta.dirname, name)
const golden = at('schema.sql')

t.test('the schema is the one in schema.sql; WRITE_SCHEMA=1 writes it', async (t) => {
  const database = await createTestDatabase()
  const owner = connectOwner(database)
  t.teardown(async () => {
    await owner.destroy()
    await database.close()
  })
  const query = readFileSync(at('dump-schema.sql'), 'utf8')
  const { rows } = await sql.raw<{ dump: string }>(query).execute(owner)
  const dump = rows[0]?.dump ?? ''
  if (process.env.WRITE_SCHEMA === '1') writeFileSync(golden, dump)
  t.equal(dump, readFileSync(golden, 'utf8'))
})
