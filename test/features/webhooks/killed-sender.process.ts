import { fork } from 'node:child_process'
import { join } from 'node:path'
import { sql } from 'kysely'
import t from 'tap'
import { addCustomer, createTestDatabase, until } from '../../helper.ts'
import { addProduct } from '../feed/stage.ts'
import { createCommands, createReceiver, quiet, startSender } from './stage.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())

t.test('after a sender is killed, another one repeats its message within ten seconds', async (t) => {
  const id = 'hooked'
  await addCustomer(database, id)
  const receiver = createReceiver(`${id}.example.com`)
  const { json } = createCommands(database, receiver)
  const webhook = await json('add', id, `https://${id}.example.com/hook`, '--resources', 'products')
  const child = fork(join(import.meta.dirname, 'sender.ts'), [database.url])
  t.teardown(() => child.kill('SIGKILL'))
  const sent = new Promise<string>((resolve) => child.once('message', (name) => resolve(String(name))))
  await addProduct(database, id, 'p1')
  const name = await sent
  // Only renewals find the webhook.
  await startSender(t, database, receiver, { everyMs: 60_000 })
  await quiet()
  child.kill('SIGKILL')
  t.equal(receiver.messages().length, 0, 'the lease of the one that died holds')
  await until('it is told, with time for a busy machine', () => receiver.messages().length === 1, 30_000)
  t.equal(receiver.messages()[0]?.headers['webhook-id'], name, 'under the same name')
  await until('and no more', async () => {
    const { rows } = await sql<{ held_until: string | null }>`
      select held_until from webhooks where webhook_id = ${webhook.webhook_id}`.execute(database.operator)
    return rows[0]?.held_until === null
  })
})
