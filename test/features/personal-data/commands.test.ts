import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { run } from '../../command-line.ts'
import { addCustomer, closeAfter, createTestDatabase } from '../../helper.ts'

const database = await createTestDatabase()
closeAfter(t, database)
const env = { DATABASE_URL: database.url }
await addCustomer(database, 'acme')
await sql`insert into products (customer_id, id, name) values ('acme', 'a', 'A'), ('acme', 'b', 'B')`.execute(
  database.operator,
)
const countCustomers = async () => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from customers`.execute(database.operator)
  return rows[0]?.n
}

t.test('the commands are next to those of the kernel, and have help', async (t) => {
  t.match(await run(['customers', '--help']), { code: 0, stdout: /set-plan.*export.*import.*erase/s })
  for (const name of ['export', 'import', 'erase']) {
    const { code, stdout } = await run(['customers', name, '--help'])
    t.match({ code, stdout }, { code: 0, stdout: `Usage: certdata customers ${name}` })
  }
})

t.test('an export into a file is refused with the reason', async (t) => {
  const file = join(t.testdir({ file: '' }), 'file')
  for (const output of [file, join(file, 'below')]) {
    const refused = await run(['customers', 'export', 'acme', '--output', output], { env })
    t.match(refused, { code: 1, stdout: /^$/, stderr: /cannot be created: there is a file/ })
  }
})

t.test('an erasure asks first, and names what it deletes', async (t) => {
  const erase = ['customers', 'erase', 'acme']
  const consequence = /of acme are deleted for good: .*1 api_keys.*2 products.*1 customers/
  const before = await countCustomers()
  const alone = await run(erase, { env })
  t.match(alone, { code: 1, stdout: '', stderr: consequence })
  t.match(alone.stderr, /Nothing was done: without a terminal, add --yes\n$/)
  for (const input of ['n\n', '\n', '', 'yesterday\n']) {
    const refused = await run(erase, { env, isWatched: true, input })
    t.match(refused, { code: 1, stdout: '', stderr: /Continue\? \[y\/N\] Nothing was done\n$/ })
    t.match(refused.stderr, consequence)
  }
  t.equal(await countCustomers(), before)
  t.match(await run([...erase, '--yes'], { env }), { code: 0, stderr: '' })
  t.equal(await countCustomers(), Number(before) - 1)
})
