import { setImmediate as turn } from 'node:timers/promises'
import pg from 'pg'
import t from 'tap'
import { askPage, createDb, createPool, pageMark, pagesWaiting } from '../../app/db/connect.ts'
import { isUnreachable } from '../../app/db/unreachable.ts'
import { createFairQueue } from '../../app/overload/fair-queue.ts'
import { createPlaces } from '../../app/overload/places.ts'
import { createTurns } from '../../app/overload/turns.ts'
import { testPostgres } from '../servers.ts'

const refuse = (error: Error) => {
  throw error
}

t.test('owners take turns, whoever has many; what one owns stays in order', async (t) => {
  const queue = createFairQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) queue.push(item[0] as string, item)
  const taken = [queue.shift(), queue.shift()]
  queue.push('d', 'd1')
  for (let item = queue.shift(); item; item = queue.shift()) taken.push(item)
  t.same(taken, ['a1', 'b1', 'c1', 'a2', 'b2', 'd1', 'a3'])
  t.equal(queue.shift(), undefined)
})

t.test('a place is the next owner’s, and free where nobody waits', async (t) => {
  const places = createPlaces({ count: 1, ofOne: 1, longestWaitMs: 60_000 })
  const begun: string[] = []
  const take = (name: string) => places.take(name[0] as string, () => begun.push(name), refuse)
  for (const name of ['a1', 'a2', 'a3', 'b1']) take(name)
  t.same([begun, places.waiting], [['a1'], 3])
  places.giveBack('a')
  places.giveBack('a')
  t.same(begun, ['a1', 'a2', 'b1'], 'within the call')
  places.giveBack('b')
  places.giveBack('a')
  t.equal(places.waiting, 0)
  take('c1')
  t.same(begun, ['a1', 'a2', 'b1', 'a3', 'c1'])
})

t.test('what is beyond one owner’s share stays free for others', async (t) => {
  const places = createPlaces({ count: 4, ofOne: 2, longestWaitMs: 60_000 })
  const begun: string[] = []
  const take = (name: string) => places.take(name[0] as string, () => begun.push(name), refuse)
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) take(name)
  t.same([begun, places.waiting], [['a1', 'a2', 'b1', 'c1'], 2], 'a3 waits though two places are free')
  places.giveBack('c')
  t.same(begun.slice(4), ['b2'], 'who is next may not: whoever may is')
  places.giveBack('b')
  t.equal(begun.length, 5)
  places.giveBack('a')
  t.same(begun.slice(5), ['a3'])
  for (const owner of ['b', 'a', 'a']) places.giveBack(owner)
  for (const name of ['d1', 'd2', 'd3', 'e1', 'e2']) take(name)
  t.same([begun.slice(6), places.waiting], [['d1', 'd2', 'e1', 'e2'], 1], 'all were given back')
  places.giveBack('d')
})

t.test('who waits for too long gives up, and its place is another’s', async (t) => {
  const places = createPlaces({ count: 1, ofOne: 1, longestWaitMs: 1 })
  places.take('a', () => {}, refuse)
  const error = await new Promise<Error>((resolve) => {
    places.take('a', () => t.fail('it has given up'), resolve)
  })
  t.match(error, { code: 'ETIMEDOUT', message: 'no place became free within 1 ms, of 1 and 1 for one' })
  t.ok(isUnreachable(error), '503 to the caller')
  t.equal(places.waiting, 0)
  places.giveBack('a')
  let hasBegun = false
  places.take('b', () => (hasBegun = true), refuse)
  t.ok(hasBegun)
})

t.test('a burst of one owner waits for its turns of the event loop behind another owner', async (t) => {
  const turns = createTurns({ most: 2 })
  const begun: string[] = []
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1'])
    turns.take(name[0] as string, () => begun.push(name))
  t.same(begun, ['a1', 'a2'])
  await turn()
  t.same(begun, ['a1', 'a2', 'a3', 'b1'])
})

t.test('a page does not wait for all that another customer has asked before', async (t) => {
  const server = await testPostgres()
  const pool = createPool(server.url, { max: 2, applicationName: 'test', onError: () => {} })
  const db = createDb(pool)
  t.teardown(async () => {
    await db.destroy()
    await server.stop()
  })
  const text = `${pageMark('page')} select '1:1:', 't1', 's', false, 1, null, null, null, (select repeat('x', $1::integer) from pg_sleep(0.005))`
  const answered: string[] = []
  const ask = (owner: string, statement = text) =>
    askPage(db, owner, statement, [10]).finally(() => answered.push(owner))
  // Both connections are made: else the other's page waits for its own.
  await Promise.all([ask('first'), ask('second')])
  answered.length = 0
  const burst = Array.from({ length: 20 }, () => ask('burst'))
  const other = ask('other')
  t.equal(pagesWaiting(db), 19)
  await other
  t.ok(answered.length <= 6, `${answered.length - 1} answers of the burst came first`)
  await Promise.all(burst)
  t.equal(pagesWaiting(db), 0)

  await t.rejects(ask('wrong', `${pageMark('page')} select 1 / 0, $1::integer`), /division by zero/)
  await pool.end()
  await t.rejects(ask('ended'), /after calling end/)
  await t.rejects(ask('ended'), /after calling end/)
  await t.rejects(ask('ended'), /after calling end/, 'places are given back')
})

t.test('slow statements of one customer leave others connections', async (t) => {
  const server = await testPostgres()
  const pool = createPool(server.url, { max: 5, applicationName: 'test', onError: () => {} })
  const db = createDb(pool)
  const holder = new pg.Client(server.url)
  await holder.connect()
  t.teardown(async () => {
    await holder.end()
    await db.destroy()
    await server.stop()
  })
  await holder.query('select pg_advisory_lock(4711)')
  const page = `${pageMark('page')} select '1:1:', 't1', 's', false, 1, null, null, null, repeat('x', $1::integer)`
  const slowPage = `${page} from pg_advisory_xact_lock_shared(4711)`
  const burst = Array.from({ length: 20 }, () => askPage(db, 'burst', slowPage, [10]))
  await askPage(db, 'other', page, [10])
  t.equal(pagesWaiting(db), 16, 'four of five connections are the burst’s')
  await holder.query('select pg_advisory_unlock(4711)')
  await Promise.all(burst)
})
