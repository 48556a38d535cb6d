import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createDb, createPool, readerRole } from '../../../app/db/connect.ts'
import type { SyncToken } from '../../../app/features/feed/token.ts'
import { findChanges } from '../../../app/features/webhooks/find-changes.ts'
import { closeAfter, createTestDatabase } from '../../helper.ts'
import { openFencedProcess, today } from '../feed/fenced-process.ts'
import { addProduct } from '../feed/stage.ts'
import { tokens } from './stage.ts'

const database = await createTestDatabase()
const statements: string[] = []
const reader = createDb(
  createPool(database.url, { role: readerRole, max: 2, applicationName: 'test', onError: () => {} }),
  { onStatement: ({ sql: text }) => statements.push(text), longestWaitMs: 60_000 },
)
closeAfter(t, reader, database)
await sql`insert into customers (customer_id, name) values ('a', 'A'), ('b', 'B')`.execute(database.operator)
const openProcess = (t: Pick<Test, 'teardown'>) => openFencedProcess(t, database.url, reader)

t.test('the search of a webhook costs no statement, and its position advances', async (t) => {
  const { begin, prove, poll, fence } = await openProcess(t)
  const token = await begin()
  await prove({ customerId: 'a', token })
  await addProduct(database, 'b', 'elsewhere')
  await poll()
  statements.length = 0
  const options = { db: reader, tokens, proveEmpty: prove, now: () => Date.parse(`${today}T12:00:00Z`) }
  const search = (from: string) => findChanges(options, { customerId: 'a', resources: ['products'] }, from)
  const found = await search(tokens.encode('a', token))
  t.same(found.resources, [])
  t.equal(statements.length, 0)
  t.equal(found.next.since, String(fence.last?.snapshot.xmin))
  await addProduct(database, 'a', 'hooked')
  await poll()
  const { resources, after } = await search(found.next.token)
  t.same(resources, ['products'])
  // The receiver may ask another instance.
  const other = tokens.decode('a', after) as SyncToken
  t.ok(other.reported)
})

t.test('an instance that has not polled the change of a webhook reads it from the database', async (t) => {
  const behind = await openProcess(t)
  const token = await behind.begin()
  t.ok(await behind.isProved(token))
  await addProduct(database, 'a', 'reported')
  const sender = await openProcess(t)
  const options = {
    db: reader,
    tokens,
    proveEmpty: sender.prove,
    now: () => Date.parse(`${today}T12:00:00Z`),
  }
  const watched = { customerId: 'a', resources: ['products'] } as const
  const { after } = await findChanges(options, watched, tokens.encode('a', token))
  t.ok(await behind.isProved(token), 'it has not polled since')
  const named = tokens.decode('a', after) as SyncToken
  t.notOk(await behind.isProved(named))
  const page = await behind.read(named)
  t.equal(page.changes.length, 1)
  t.equal(page.token.reported, undefined)
})
