import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import {
  listAdditions,
  listCustomerTables,
  listKnownTables,
} from '../../../app/features/personal-data/tables.ts'
import { features } from '../../../app/features.ts'
import { importRecords } from '../../../app/import/index.ts'
import { loadReferenceData } from '../../../app/local/reference/load.ts'
import { createCommandLine } from '../../command-line.ts'
import { addOwnParts, marker } from '../../db/additions.ts'
import { addCustomer, closeAfter, connectOwner, createTestDatabase } from '../../helper.ts'

// The operator may add columns and tables to the database. No export contains them, and an erasure deletes them.

const root = join(import.meta.dirname, '../../..')
const database = await createTestDatabase()
const owner = connectOwner(database)
closeAfter(t, owner, database)
const { cli } = createCommandLine({ DATABASE_URL: database.url })
const run = async (text: string) => (await sql.raw<object>(text).execute(owner)).rows

const readExport = async () => {
  const { stdout } = await cli('customers', 'export', 'acme')
  // The export itself writes an audit entry, and the first and the last line differ.
  return stdout.replaceAll(/^.*"table":"(?:export|audit|end)".*\n/gm, '')
}

await loadReferenceData(database.operator)
await addCustomer(database, 'acme')
const records = ReadableStream.from([readFileSync(join(root, 'examples/records.ndjson'))])
await importRecords(database.operator, records, { customer: 'acme' })
await run(`update products set name = 'Acme Gateway 101' where id = 'P-100'`)
await run(`delete from approvals where id = 'A-3'`)
const exportedBefore = await readExport()
const additionsBefore = await listAdditions(owner, listKnownTables(features))
await addOwnParts(owner)

t.test('a feature cannot list a table again', async (t) => {
  const customerTables = { customers: { exported: [], internal: [] } }
  t.throws(() => listKnownTables([{ customerTables }]), /the table customers is listed twice/)
})

t.test('the export contains no columns and tables of the operator, and names them', async (t) => {
  t.match(exportedBefore, '"Acme Gateway 101"')
  t.equal(await readExport(), exportedBefore)
  t.same(additionsBefore, [], 'the lists of the service are complete')
  const additions = await listAdditions(owner, listKnownTables(features))
  const { stderr } = await cli('customers', 'export', 'acme')
  t.match(stderr, 'not exported, because the service does not know them: ')
  t.match(stderr, 'invoices')
  t.ok(additions.includes('invoices'))
  for (const { name } of await listCustomerTables(owner)) {
    if (name !== 'invoices') t.ok(additions.includes(`${name}.operator_note`), name)
  }
})

t.test('nor the history of records with such columns', async (t) => {
  await run(`update products set name = 'Acme Gateway 102' where id = 'P-100'`)
  await run(`update products set id = 'P-111' where id = 'P-110'`)
  await run(`delete from lab where customer_id = 'acme'`)
  const exported = await readExport()
  t.match(exported, '"P-111"')
  t.notMatch(exported, marker)
  t.notMatch(exported, 'operator_sum')
})

t.test('an erasure deletes the rows of the operator’s tables, too', async (t) => {
  t.equal((await cli('customers', 'erase', 'acme', '--yes')).code, 0)
  t.same(await run('select from invoices'), [])
})
