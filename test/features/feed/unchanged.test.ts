import { once } from 'node:events'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createSecrets } from '../../../app/config/secrets.ts'
import { createDb, createPool, inTurn, readerRole } from '../../../app/db/connect.ts'
import { createFeed } from '../../../app/features/feed/feed.ts'
import { createTokenCodec, type SyncToken } from '../../../app/features/feed/token.ts'
import { advance } from '../../../app/features/feed/unchanged.ts'
import { createWaiting } from '../../../app/features/feed/wait.ts'
import { createQueryString } from '../../../app/http/pairs.ts'
import type { Principal } from '../../../app/identity/principal.ts'
import { resourceNames } from '../../../app/records/resources/index.ts'
import { closeAfter, connectOwner, createTestDatabase, secretKey, until } from '../../helper.ts'
import { openFencedProcess, today } from './fenced-process.ts'
import { addProduct } from './stage.ts'

/**
 * The fence answers a poll of the feed without the database only if all conditions of decision 0195 hold. In each
 * test but the first, a read of the database shows that the fence would have been wrong, or could have been.
 */
const database = await createTestDatabase()
const owner = connectOwner(database)
/** One, so that reads of the database end in the order in which they begin. */
const turns = 1
const statements: string[] = []
const reader = createDb(
  createPool(database.url, { role: readerRole, max: 2, applicationName: 'test', onError: () => {} }),
  { onStatement: ({ sql: text }) => statements.push(text), turns, longestWaitMs: 60_000 },
)
closeAfter(t, reader, owner, database)
const run = (text: string) => sql.raw(text).execute(database.operator)
await run(`insert into customers (customer_id, name) values ('a', 'A'), ('b', 'B'), ('c', 'C')`)

const openProcess = (t: Pick<Test, 'teardown'>) => openFencedProcess(t, database.url, reader)

const tokens = createTokenCodec(createSecrets([secretKey]))
const getPrincipal = (customerId: string): Principal => ({
  kind: 'live',
  customerId,
  keyId: 'k',
  scopes: undefined,
  expiringWithin: 90,
  plan: 'premium',
})

type Process = Awaited<ReturnType<typeof openProcess>>

/** The feed of a process, without HTTP. */
const openFeed = ({ poller, prove, clock }: Process, customerId = 'a') => {
  const principal = getPrincipal(customerId)
  const feed = createFeed({
    db: reader,
    tokens,
    proveEmpty: prove,
    publicUrl: 'http://api.test',
    databaseNow: Date.now,
    waiting: createWaiting({ listen: poller.listen, databaseNow: Date.now, isDraining: () => false }),
    concurrency: { hold: async () => {} },
    source: database.exportSource,
    today: () => clock.day,
  })
  return (rawQuery: string, type?: string) =>
    feed.answer({
      principal,
      isHead: false,
      noCache: false,
      httpVersion: '1.1',
      address: '127.0.0.1',
      ...(type ? { type } : {}),
      query: feed.parse({ principal, rawQuery: createQueryString(rawQuery), ...(type ? { type } : {}) }),
      reauthorize: async () => principal,
      ending: { destroyed: false, once: () => {} },
      countRows: () => {},
    })
}
const parse = (body: unknown) => JSON.parse(String(body))

t.test('an empty poll costs no statement, keeps its token, and has the time of the last poll', async (t) => {
  const instance = await openProcess(t)
  const ask = openFeed(instance)
  const token = tokens.encode('a', await instance.begin())
  await ask(`after=${token}`)
  statements.length = 0
  const { body, headers } = await ask(`after=${token}`)
  t.same(parse(body), { data: [], page: { has_more: false, next_token: token } })
  t.equal(headers['data-as-of'], instance.fence.last?.at)
  t.equal(statements.length, 0)
})

t.test('a change of any resource of the token is read from the database', async (t) => {
  const { isProved, begin, poll } = await openProcess(t)
  for (const name of resourceNames) {
    const token = await begin(resourceNames)
    t.ok(await isProved(token), `before a change of ${name}`)
    const id = name === 'countries' ? '*' : 'a'
    await run(`insert into change_log (customer_id, resource, record_id) values ('${id}', '${name}', 'x')`)
    await poll()
    t.notOk(await isProved(token), name)
  }
})

t.test('the feed reports no record because of a resource that it includes', async (t) => {
  const { isProved, begin, poll, read } = await openProcess(t)
  const token = await begin(['countries'])
  await run(`insert into approvals (customer_id, id, product_id, country_code, scheme, status)
    values ('a', 'x', 'p', 'DE', 'main', 'granted')`)
  await poll()
  t.ok(await isProved(token))
  t.same((await read(token)).changes, [])
})

t.test('changes of another customer do not matter', async (t) => {
  const { isProved, begin, poll } = await openProcess(t)
  const token = await begin()
  await addProduct(database, 'b', 'of-b')
  await poll()
  t.ok(await isProved(token))
})

const addCertificate = (id: string, days: number) =>
  run(`insert into certificates (customer_id, id, number, title, approval_status, valid_until)
    values ('a', '${id}', 'N', 'T', 'approved', date '${today}' + ${days})`)

t.test('a new window is read from the database', async (t) => {
  await addCertificate('window', 60)
  const { isProved, begin, poll, read } = await openProcess(t)
  const token = await begin(['certificates'])
  t.ok(await isProved(token))
  await run(`update customers set expiring_within = 45 where customer_id = 'a'`)
  await poll()
  t.notOk(await isProved(token))
  t.equal((await read(token)).changes.length, 1)
  await run(`update customers set expiring_within = 90 where customer_id = 'a'`)
})

t.test('a token whose snapshot shows a newer window than its own is uncertain', async (t) => {
  const { isProved, begin, read } = await openProcess(t)
  const token = await begin(['certificates'])
  const torn = { ...token, moment: { ...token.moment, window: 45 } }
  t.ok(await isProved(token))
  t.notOk(await isProved(torn))
  t.equal((await read(torn)).changes.length, 1)
})

t.test('a new day is read from the database', async (t) => {
  await addCertificate('day', 0)
  const { isProved, begin, read, clock } = await openProcess(t)
  const token = await begin(['certificates'])
  t.ok(await isProved(token))
  clock.day = '2026-11-29'
  t.notOk(await isProved(token))
  t.equal((await read(token)).changes.length, 1)
})

t.test('an unfinished walk is read from the database', async (t) => {
  const { isProved, begin } = await openProcess(t)
  const token = await begin()
  const { moment, base: target, baseAt: targetAt } = token
  t.ok(await isProved(token))
  t.notOk(await isProved({ ...token, diff: { target, targetAt, xid: 1, position: 1 } }))
  t.notOk(await isProved({ ...token, flip: { to: moment, after: undefined } }))
  t.notOk(await isProved({ ...token, baseMoment: moment }))
})

const daySeconds = 86_400

t.test('a token older than the log, or with a view of another release, gets its 410', async (t) => {
  const { isProved, begin, read } = await openProcess(t)
  const token = await begin()
  const old = { ...token, issuedAt: token.issuedAt - 91 * daySeconds }
  const strange = { ...token, view: 'no_such_field=1' }
  t.ok(await isProved({ ...token, view: 'product_status=active' }))
  for (const each of [old, strange]) {
    t.notOk(await isProved(each))
    await t.rejects(read(each), { code: 'sync_token_expired' })
  }
})

t.test('a token of another history gets its 410', async (t) => {
  const { isProved, begin, read } = await openProcess(t)
  const token = await begin()
  for (const each of [
    { ...token, identity: 'another' },
    { ...token, mark: '00000000-0000-0000-0000-000000000000' },
  ]) {
    t.notOk(await isProved(each))
    await t.rejects(read(each), { code: 'sync_token_expired' })
  }
})

t.test('a token keeps its proof when a new mark is written', async (t) => {
  const { isProved, begin, poll, fence } = await openProcess(t)
  const token = await begin()
  await sql`insert into change_marks default values`.execute(owner)
  await poll()
  t.not(fence.last?.mark, token.mark)
  t.ok(await isProved(token))
})

t.test('a token newer than the last poll, or older than the first, is read from the database', async (t) => {
  const first = await openProcess(t)
  const token = await first.begin()
  await addProduct(database, 'a', 'between')
  const { isProved } = await openProcess(t)
  t.notOk(await isProved(token), 'this process has not seen the change')
  t.same((await first.read(token)).changes.length, 1)
  const newer = (await first.read()).token
  t.notOk(await first.isProved(newer), 'it may be of a lost future')
  await first.poll()
  t.ok(await first.isProved(newer))
})

t.test('a truncated and a distrusted resource are read from the database', async (t) => {
  const { isProved, begin, poll, read } = await openProcess(t)
  const token = await begin(['lab'])
  await sql`truncate lab`.execute(owner)
  await poll()
  t.notOk(await isProved(token))
  await t.rejects(read(token), { code: 'sync_token_expired' })
  await sql`select distrust_resources(array['lab'], false)`.execute(owner)
  const later = await begin(['lab'])
  t.notOk(await isProved(later))
  t.ok(await isProved(await begin()), 'another resource')
  await sql`select end_distrust()`.execute(owner)
  t.ok(await isProved(await begin(['lab'])))
})

t.test('an erasure makes every token uncertain', async (t) => {
  const { isProved, begin, poll } = await openProcess(t)
  const token = await begin()
  await run(`insert into change_log (customer_id, resource, record_id) values ('*', '*', '*')`)
  await poll()
  t.notOk(await isProved(token))
})

t.test('without a lease, a poll decides; if it fails, the database', async (t) => {
  const { isProved, begin, clock, fence, setUnreachable } = await openProcess(t)
  const token = await begin()
  t.ok(await isProved(token))
  const { last } = fence
  clock.ms += 501
  t.ok(await isProved(token))
  t.not(fence.last, last, 'there was a poll')
  await addProduct(database, 'a', 'late')
  clock.ms += 501
  t.notOk(await isProved(token))
  const next = await begin()
  setUnreachable(true)
  clock.ms += 501
  t.notOk(await isProved(next))
})

t.test('with no-cache, the answer shows a change that no poll had reported', async (t) => {
  const { isProved, begin, fence } = await openProcess(t)
  const token = await begin()
  t.ok(await isProved(token))
  await addProduct(database, 'a', 'unreported')
  t.ok(await isProved(token), 'the change is at most 600 ms late')
  t.notOk(await isProved(token, true))
  const { last } = fence
  t.ok(await isProved(await begin(), true))
  t.not(fence.last, last)
})

t.test('after a minute a token advances to the poll, and misses nothing', async (t) => {
  const instance = await openProcess(t)
  const ask = openFeed(instance)
  const before = await instance.begin()
  const old = { ...before, baseAt: new Date(Date.parse(before.baseAt) - 61_000).toISOString() }
  await sql`insert into change_marks default values`.execute(owner)
  await instance.poll()
  const { body } = await ask(`after=${tokens.encode('a', old)}`)
  const token = tokens.decode('a', parse(body).page.next_token) as SyncToken
  const { last } = instance.fence
  t.same([token.base.text, token.baseAt, token.mark], [last?.snapshot.text, last?.at, last?.mark])
  t.not(token.base.text, before.base.text)
  t.not(token.mark, before.mark)
  t.ok(await instance.isProved(token))
  await addProduct(database, 'a', 'advanced')
  t.equal((await instance.read(token)).changes.length, 1)
})

t.test('a long poll and a stream wait without a statement, and then report the change', async (t) => {
  const instance = await openProcess(t)
  const ask = openFeed(instance)
  const token = tokens.encode('a', await instance.begin())
  await ask(`after=${token}`)
  statements.length = 0
  const waiting = ask(`after=${token}&wait=20`)
  const { body: stream } = await ask(`after=${token}`, 'text/event-stream')
  if (!(stream instanceof Readable)) throw new Error('no stream')
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  await until('the first event', () => text.includes('"data":[]'))
  await delay(0)
  t.equal(statements.length, 0)
  await addProduct(database, 'a', 'awaited')
  await instance.poll()
  t.equal(parse((await waiting).body).data[0].id, 'awaited')
  await until('the second event', () => text.includes('awaited'))
  stream.destroy()
  await once(stream, 'close')
})

t.test('advanced tokens are those that the database would issue', async (t) => {
  const { begin, poll, fence, read } = await openProcess(t)
  const token = await begin()
  await poll()
  const { last } = fence
  if (!last) throw new Error('no poll')
  const advanced = advance(token, last)
  const { base, baseAt, mark, issuedAt, ...rest } = (await read(advanced)).token
  t.match(advanced, rest)
  t.same([advanced.mark, base.xmax >= advanced.base.xmax], [mark, true])
  t.ok(baseAt >= advanced.baseAt && issuedAt >= advanced.issuedAt)
})

t.test('when all tokens become uncertain, customers take turns, and no read skips the queue', async (t) => {
  const instance = await openProcess(t)
  const ask = openFeed(instance)
  const askOther = openFeed(instance, 'b')
  const token = tokens.encode('a', await instance.begin())
  const other = tokens.encode('b', await instance.begin(undefined, 'b'))
  const { last } = instance.fence
  if (!last) throw new Error('no poll')
  await addProduct(database, 'c', 'flood')
  const snapshot = (await instance.read()).token.base
  instance.fence.apply({ ...last, snapshot, events: undefined })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const held = inTurn(reader, 'x', () => released)
  statements.length = 0
  const done: string[] = []
  const crowd = Array.from({ length: 30 }, () => ask(`after=${token}`).then(() => done.push('a')))
  const one = askOther(`after=${other}`).then(() => done.push('b'))
  await until('all wait', () => reader.queue.waiting === 31)
  t.equal(statements.length, 0, 'none has begun')
  release()
  await Promise.all([...crowd, one, held])
  t.equal(done.indexOf('b'), 1, 'one of the crowd is first')
  const again = await instance.begin()
  t.ok(await instance.isProved(again), 'tokens of these reads are certain again')
})
