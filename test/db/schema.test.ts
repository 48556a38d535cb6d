import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { connectOwner, createTestDatabase } from '../helper.ts'

const database = await createTestDatabase()
const owner = connectOwner(database)
t.teardown(async () => {
  await owner.destroy()
  await database.close()
})
const at = (name: string) => join(import.meta.dirname, name)

t.test('the schema is the one in schema.sql; WRITE_SCHEMA=1 writes it', async (t) => {
  const query = readFileSync(at('dump-schema.sql'), 'utf8')
  const { rows } = await sql.raw<{ dump: string }>(query).execute(owner)
  const dump = rows[0]?.dump ?? ''
  if (process.env.WRITE_SCHEMA === '1') writeFileSync(at('schema.sql'), dump)
  t.equal(dump, readFileSync(at('schema.sql'), 'utf8'))
})

t.test('migrations insert the rows that functions need', async (t) => {
  const { rows } = await sql<object>`
    select (select array_agg(resource order by resource) from history_begun) as resources,
      (select array_agg(id order by id) from demo_changes) as demo,
      (select count(*)::integer from change_state) as states,
      (select jsonb_agg(h) from audit_root_head h) as roots`.execute(owner)
  t.same(rows, [
    {
      resources: ['approvals', 'certificates', 'countries', 'lab', 'products', 'projects'],
      demo: [
        'apr-levelsense-de',
        'apr-levelsense-us',
        'apr-lumen-gateway-kw',
        'apr-lumen-gateway-lte-cn',
        'apr-smartlock-br',
      ],
      states: 1,
      roots: [{ only_one: true, root_no: 0, last_seal: 0, digest: null }],
    },
  ])
})
