import { sql } from 'kysely'
import t from 'tap'
import { createCommandLine, run as runCommand } from '../../command-line.ts'
import { closeAfter, createTestDatabase, secretKey, until } from '../../helper.ts'
import { withoutPersonalData } from '../../personal-data.ts'
import { addProduct } from '../feed/stage.ts'
import { createCommands, createReceiver, quiet, startSender } from './stage.ts'

/** The webhooks of a customer that moves to another database, as docs/scaling.md describes. */

const open = async () => {
  const database = await createTestDatabase()
  closeAfter(t, database)
  const env = { DATABASE_URL: database.url, SECRET_KEY: secretKey }
  return { database, env, ...createCommandLine(env) }
}
const [old, cell] = [await open(), await open()]
const id = 'wh_0123456789abcdef'
const delivery = JSON.stringify({ at: '2026-11-28T09:00:00Z', message_id: 'msg_1', result: '204' })

const moves = { skip: withoutPersonalData }

t.test('a moved webhook waits until it is enabled, and then leads to a full read', moves, async (t) => {
  await old.json('customers', 'add', 'acme', '--name', 'Acme GmbH', '--plan', 'premium')
  await sql`
    insert into webhooks (customer_id, webhook_id, url, resources, token, since, day, identity, attempts)
    values ('acme', ${id}, 'https://hooks.example.com/a', array['products'], 't', '3', current_date, 'another', 4)`.execute(
    old.database.operator,
  )
  await sql`select log_webhook_delivery('acme', ${id}, ${delivery}::json)`.execute(old.database.operator)
  const { stdout: input } = await old.cli('customers', 'export', 'acme')
  t.match(input, '"table":"webhook_deliveries"')
  const { stdout } = await runCommand(['customers', 'import', '-', '--json'], { env: cell.env, input })
  const { rows, left_behind: left } = JSON.parse(stdout)
  t.equal(rows.webhooks, 1)
  t.notOk('webhook_deliveries' in rows, 'attempts belong to the other database')
  t.match(left, [/^1 webhook wait: run certdata webhooks enable for each/, /audit entries/, /410/])

  const { operator } = cell.database
  const { rows: imported } = await sql<object>`
    select url, resources, state, reason, attempts, since::text from webhooks`.execute(operator)
  const expected = { url: 'https://hooks.example.com/a', resources: ['products'] }
  t.match(imported, [{ ...expected, state: 'disabled', reason: 'operator', attempts: 0, since: '0' }])

  const receiver = createReceiver('hooks.example.com')
  await startSender(t, cell.database, receiver)
  await addProduct(cell.database, 'acme', 'p1')
  await quiet()
  t.equal(receiver.messages().length, 0)
  await createCommands(cell.database, receiver).json('enable', id)
  await until('a message arrives', () => receiver.messages().length > 0)
  t.match(receiver.messages()[0]?.message.data, { resources: ['products'], after: 'snapshot' })
})
