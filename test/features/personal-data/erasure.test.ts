import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { pruneAudit } from '../../../app/audit/prune.ts'
import { addReads, collectReads } from '../../../app/audit/reads.ts'
import { recordEvents } from '../../../app/audit/record.ts'
import type { Db } from '../../../app/db/schema.ts'
import { eraseCustomer } from '../../../app/features/personal-data/erase.ts'
import { countWaiting, inUndone, openTrail, secrets } from '../../audit/trail.ts'
import { addCustomer, until } from '../../helper.ts'

const getLogin = (customer: string) => ({ actor: 'key', action: 'login', customer }) as const

const open = async (test: Test) => {
  const trail = await openTrail(test)
  const add = (customer: string, count = 1) =>
    recordEvents(trail.operator, Array(count).fill(getLogin(customer)))
  const numbers = async (customer: string) => {
    const { rows } = await sql<{ number: number }>`select number from audit_copies
      where customer_id = ${customer} order by number`.execute(trail.operator)
    return rows.map(({ number }) => number)
  }
  return { ...trail, add, numbers }
}

/** Locks the customer as an erasure does, calls `act`, and rolls back. */
const whileErasing = (owner: Db, customer: string, act: () => Promise<void>) =>
  inUndone(owner, async (trx) => {
    await sql`select from customers where customer_id = ${customer} for update`.execute(trx)
    await act()
  })

t.test('an erasure that is rolled back leaves no entry without its number', async (t) => {
  const { owner, add, seal, numbers, verify } = await open(t)
  await add('acme', 3)
  await add('globex', 2)
  await whileErasing(owner, 'acme', async () => {
    await seal()
    t.same(await numbers('globex'), [1, 2], 'others do not wait')
    t.match(await verify(), { fault: null, verified: 2, unsealed: 3 })
  })
  await seal()
  t.same(await numbers('acme'), [1, 2, 3])
  t.match(await verify(), { fault: null, verified: 5, unsealed: 0 })
})

t.test('many entries of one customer do not delay the entries of another', async (t) => {
  const { owner, add, seal, numbers } = await open(t)
  await add('acme', 450)
  await add('globex', 250)
  await whileErasing(owner, 'acme', async () => {
    await seal()
    t.equal((await numbers('globex')).length, 250)
    t.equal((await numbers('acme')).length, 0)
  })
  await seal()
  t.same(
    await numbers('acme'),
    Array.from({ length: 450 }, (_, i) => i + 1),
  )
})

t.test('reads of other customers become entries while a customer is erased', async (t) => {
  const { owner, database, seal, numbers } = await open(t)
  const counted = { status: 200, count: 1, rows: 1 }
  const details = { minute: '2026-01-01T00:00Z', resource: 'products', query: null, ...counted }
  const reads = ['acme', 'globex'].map(
    (customer) => ({ actor: 'demo', action: 'reads', customer, details }) as const,
  )
  await addReads(database.reader, reads)
  const collect = async () => {
    await collectReads(database.reader, 'complete')
    await seal()
    return { acme: await numbers('acme'), globex: await numbers('globex') }
  }
  await whileErasing(owner, 'acme', async () => {
    t.same(await collect(), { acme: [], globex: [1] })
  })
  t.same(await collect(), { acme: [1], globex: [1] })
})

t.test('sealed, waiting and counted entries are erased, and the chain verifies immediately', async (t) => {
  const { owner, add, seal, verify, numbers } = await open(t)
  await add('acme', 2)
  await seal()
  await add('acme')
  await add('globex')
  await eraseCustomer(owner, 'acme')
  t.match(await verify(), { fault: null, erased: 2, unsealed: 3 }, 'also before the erasure is sealed')
  await seal()
  t.match(await verify(), { fault: null, erased: 3, unsealed: 0 })
  t.same(await numbers('globex'), [1])
  await sql`delete from audit_persons where customer = 'globex'`.execute(owner)
  t.match(await verify(), { fault: { sealNo: 4, reason: /personal part of the entry was deleted/ } })
})

t.test('a pruning waits for an erasure', async (t) => {
  const { database, owner, add, seal, numbers, verify } = await open(t)
  for (let i = 0; i < 3; i++) {
    await add('acme')
    await add('globex')
    await seal()
  }
  let erasing: Promise<unknown> | undefined
  let pruning: Promise<unknown> | undefined
  await database.operator.transaction().execute(async (trx) => {
    await recordEvents(trx, [getLogin('acme')])
    erasing = eraseCustomer(owner, 'acme')
    await until('the erasure waits for the entry', async () => (await countWaiting(owner)) === 1)
    pruning = pruneAudit(owner, secrets, '2999-01-01T00:00:00Z')
    await until('the pruning waits for the erasure', async () => (await countWaiting(owner)) === 2)
    await add('globex')
    await seal()
    t.same(await numbers('globex'), [1, 2, 3, 4], 'sealing goes on')
  })
  t.match(await erasing, { auditEntries: 4 })
  t.match(await pruning, { fault: null })
  t.match(await verify(), { fault: null })
})

t.test('concurrent sealing, erasures and prunings leave a trail without gaps', async (t) => {
  const { database, owner, add, seal, numbers, verify } = await open(t)
  const { operator } = database
  for (let round = 0; round < 12; round++) {
    const name = `customer-${round}`
    await addCustomer(database, name)
    await add(name, 5)
    await Promise.all([
      add('acme', 3),
      add(name, 3),
      add('globex', 3),
      seal(),
      seal(),
      seal(),
      ...(round % 3 === 0 ? [pruneAudit(owner, secrets, new Date().toISOString())] : []),
      round % 2 === 0 ? eraseCustomer(owner, name) : whileErasing(owner, name, () => add('acme')),
    ])
  }
  await seal()
  t.match(await verify(), { fault: null, unsealed: 0 })
  const { rows } = await sql<{ customer: string; last: number }>`
    select customer_id as customer, last from audit_numbers`.execute(operator)
  t.ok(rows.length > 6)
  for (const { customer, last } of rows) {
    const own = await numbers(customer)
    t.same(
      own,
      Array.from({ length: own.length }, (_, i) => last - own.length + 1 + i),
      customer,
    )
  }
})
