import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import t from 'tap'
import { listPendingMigrations } from '../../app/db/migrate.ts'
import {
  addCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  logIn,
  type TestDatabase,
} from '../helper.ts'
import { listVersions, readRows, writeFixture } from './fixtures/release.ts'
import { openUpgraded } from './upgraded.ts'

const paths = [
  '/v1/products?sort=id',
  '/v1/certificates?sort=id',
  '/v1/projects?sort=id',
  '/v1/lab?sort=id',
  '/v1/approvals?sort=id',
  '/v1/countries?sort=id',
  '/v1/products?q=lamp',
]
const schema = readFileSync(new URL('../../app/db/schema.sql', import.meta.url), 'utf8')
const dumpSchema = readFileSync(new URL('dump-schema.sql', import.meta.url), 'utf8')

const listAnswers = async (database: TestDatabase, apiKey: string) => {
  const app = await createTestApp(database)
  const { get } = await logIn(app, apiKey)
  const answers: Record<string, unknown> = {}
  for (const path of paths) answers[path] = (await get(path)).json()
  await app.close()
  return answers
}

/** WRITE_FIXTURE=0.1.0 writes the fixture of a version that is not released yet. */
const { WRITE_FIXTURE: newVersion } = process.env
if (newVersion) {
  const database = await createTestDatabase()
  const owner = connectOwner(database)
  closeAfter(t, owner, database)
  const apiKey = await addCustomer(database, 'acme')
  await sql`insert into products (customer_id, id, name) values ('acme', 'p1', 'Lamp'), ('acme', 'p2', 'Lock')`.execute(
    owner,
  )
  await sql`update products set name = 'Lamp 2' where id = 'p1'`.execute(owner)
  await sql`delete from products where id = 'p2'`.execute(owner)
  const answers = { apiKey, ...(await listAnswers(database, apiKey)) }
  await writeFixture(owner, newVersion, answers)
}

t.ok(listVersions().includes('0.1.0'))
for (const version of listVersions()) {
  t.test(`a database of ${version} is upgraded with all its data`, async (t) => {
    const { owner, database, rows, answers } = await openUpgraded(t, version)
    t.same(await listPendingMigrations(owner), [])
    const dump = await sql.raw<{ dump: string }>(dumpSchema).execute(owner)
    t.equal(
      dump.rows[0]?.dump,
      schema,
      'the same schema as a new database. Until the release: WRITE_FIXTURE=0.1.0 writes it again',
    )
    for (const [table, before] of Object.entries(rows)) {
      if (table === 'change_state') continue
      t.has(await readRows(owner, table), before, table)
    }
    const { apiKey, ...expected } = answers
    t.has(await listAnswers(database, String(apiKey)), expected)
  })
}
