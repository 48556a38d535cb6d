import { sql, type Transaction } from 'kysely'
import t from 'tap'
import type { Database, Db } from '../../app/db/schema.ts'
import {
  type ApiKey,
  listApiKeys,
  listSuccessors,
  lockKeyCustomer,
  succeedApiKey,
} from '../../app/identity/api-key-store.ts'
import { createKeyId, createKeySecret, parseApiKey } from '../../app/identity/api-keys.ts'
import { addSuccessorLink, listKeyLinks } from '../../app/identity/key-links.ts'
import { addCustomer, closeAfter, createTestDatabase, until } from '../helper.ts'

const database = await createTestDatabase()
const { operator } = database
closeAfter(t, database)

const overlapSeconds = 3_600
const succeed = (keyId: string, db: Db = operator) => {
  const { secretSha256 } = createKeySecret()
  return succeedApiKey(db, keyId, { keyId: createKeyId(), secretSha256 }, overlapSeconds)
}
const newKey = async (customer: string) => parseApiKey(await addCustomer(database, customer))?.keyId as string

const isWaiting = async (): Promise<boolean> => {
  const { rows } = await sql`select from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`.execute(operator)
  return rows.length > 0
}

/** Starts `second` while the transaction of `first` is open, ends it when `second` waits, and returns both results. */
const overlap = async <First, Second>(
  first: (trx: Transaction<Database>) => Promise<First>,
  second: () => Promise<Second>,
) => {
  const done = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const holding = operator.transaction().execute(async (trx) => {
    const result = await first(trx)
    done.resolve()
    await end.promise
    return result
  })
  await done.promise
  let hasEnded = false
  const waiting = second().finally(() => {
    hasEnded = true
  })
  await until('the second waits', async () => hasEnded || (await isWaiting()))
  const isTooEarly = hasEnded
  end.resolve()
  return { isTooEarly, first: await holding, second: await waiting }
}

t.test('of two rotations of a key at the same time, the second makes no key', async (t) => {
  const keyId = await newKey('twice')
  const { first, second } = await overlap(
    (trx) => succeed(keyId, trx),
    () => succeed(keyId),
  )
  t.match(first, { former: { key_id: keyId } })
  t.equal(second, undefined)
  t.equal((await listApiKeys(operator, 'twice')).length, 2)
})

t.test('of two links to the successor of a key at the same time, the second remains', async (t) => {
  const keyId = await newKey('linked')
  const { second } = await overlap(
    (trx) => addSuccessorLink(trx, keyId, overlapSeconds),
    () => addSuccessorLink(operator, keyId, overlapSeconds),
  )
  t.match(await listKeyLinks(operator, 'linked'), [{ key_id: second?.link.key_id }])
})

t.test('no rotation begins while the customer of the key is locked', async (t) => {
  const keyId = await newKey('locked')
  const { isTooEarly, second } = await overlap(
    (trx) => lockKeyCustomer(trx, keyId),
    () => succeed(keyId),
  )
  t.notOk(isTooEarly)
  t.ok(second)
})

t.test('lists the successors of a key, the nearest first', async (t) => {
  const keys = [
    { key_id: 'last', state: 'pending', replaces: 'third', replaced_by: null },
    { key_id: 'third', state: 'active', replaces: null, replaced_by: null },
    { key_id: 'second', state: 'replaced', replaces: null, replaced_by: 'third' },
    { key_id: 'first', state: 'replaced', replaces: null, replaced_by: 'second' },
    { key_id: 'ended', state: 'expired', replaces: 'first', replaced_by: null },
    { key_id: 'other', state: 'replaced', replaces: null, replaced_by: 'another' },
    { key_id: 'another', state: 'active', replaces: null, replaced_by: null },
  ] as ApiKey[]
  const listIds = (keyId: string) => listSuccessors(keys, keyId).map(({ key_id }) => key_id)
  t.same(listIds('first'), ['second', 'third', 'last'])
  t.same(listIds('second'), ['third', 'last'])
  t.same(listIds('last'), [])
  t.same(listIds('other'), ['another'])
})
