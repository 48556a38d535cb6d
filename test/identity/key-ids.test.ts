import { sql } from 'kysely'
import t, { type Test } from 'tap'
import type { Listener } from '../../app/cache/poller.ts'
import type { ChangeEvent } from '../../app/cache/stamped.ts'
import { createDb, createPool, readerRole } from '../../app/db/connect.ts'
import type { Db } from '../../app/db/schema.ts'
import { createApiKey, createKeySecret } from '../../app/identity/api-keys.ts'
import { createKeyIds } from '../../app/identity/key-ids.ts'
import { addCustomer, closeAfter, createTestApp, createTestDatabase } from '../helper.ts'

const database = await createTestDatabase()
const statements: string[] = []
const db = createDb(
  createPool(database.url, { role: readerRole, max: 4, applicationName: 'test', onError: () => {} }),
  { longestWaitMs: 60_000, onStatement: ({ sql: text }) => void statements.push(text) },
)
closeAfter(t, db, database)
const { rows: servers } = await sql<{ server: string }>`
  select extract(epoch from pg_postmaster_start_time())::text as server`.execute(db)

let customers = 0
const newKeyId = async (customer = `customer-${++customers}`) =>
  (await addCustomer(database, customer)).slice(9, 25)
const countLookUps = () => statements.filter((text) => text.includes('find_api_key')).length
const countLists = () => statements.filter((text) => text.includes('list_api_key_ids')).length

/** Delays the rows of the first list of ids until `release` is called. PostgreSQL has answered then. */
const createSlowList = () => {
  const answered = Promise.withResolvers<void>()
  const arrival = Promise.withResolvers<void>()
  let first: object | undefined
  const slow = db.withPlugin({
    transformQuery({ node, queryId }) {
      first ??= queryId
      return node
    },
    async transformResult({ result, queryId }) {
      if (queryId !== first) return result
      answered.resolve()
      await arrival.promise
      return result
    },
  })
  return { db: slow, answered: answered.promise, release: arrival.resolve }
}

/** Enough time for a list of ids that waits for nothing. */
const passTime = async () => {
  for (let n = 0; n < 20; n++) await sql`select 1`.execute(db)
}

/** `poll` reports these changes, and ends the waits of earlier calls. */
const open = (options: { db?: Db; maxIds?: number; epoch?: string } = {}) => {
  let listener: Listener = () => {}
  let next = Promise.withResolvers<boolean>()
  const poll = (events: readonly ChangeEvent[] | 'everything' = [], isGood = true) => {
    if (isGood) listener(events === 'everything' ? undefined : events)
    next.resolve(isGood)
    next = Promise.withResolvers()
  }
  const state = { isAway: false, epoch: options.epoch ?? `identity ${servers[0]?.server}` }
  const warnings: string[] = []
  const ids = createKeyIds({
    db,
    freshness: {
      confirmNext: () => next.promise,
      epoch: () => state.epoch,
      isAway: () => state.isAway,
    },
    listen(each) {
      listener = each
      return () => {}
    },
    warn: (reason) => warnings.push(reason),
    ...options,
  })
  return { ids, poll, state, warnings }
}
const auth = (customerId: string): ChangeEvent => ({ xid: 1, customerId, resource: 'auth' })

t.test('an id is unknown only after a poll that began after the question', async (t) => {
  const { ids, poll } = open()
  const known = await newKeyId()
  t.equal(await ids.load(), true)
  t.ok(ids.has(known))
  t.equal(await ids.isUnknown(known), false, 'without a poll')
  let answer: boolean | undefined
  const asked = ids.isUnknown('nobody').then((unknown) => {
    answer = unknown
  })
  await new Promise(setImmediate)
  t.equal(answer, undefined)
  poll()
  await asked
  t.equal(answer, true)
})

t.test(
  'a key that was created after the ids were read is found, with the ids of its customer only',
  async (t) => {
    const { ids, poll } = open()
    await ids.load()
    const before = countLists()
    const id = await newKeyId('late')
    const other = await newKeyId('unreported')
    const asked = [ids.isUnknown(id), ids.isUnknown(id)]
    poll([auth('late')])
    t.same(await Promise.all(asked), [false, false])
    t.equal(countLists(), before + 1, 'both share a query')
    t.notOk(ids.has(other))
  },
)

t.test(
  'a poll that reports everything as changed, or all customers, makes all ids be read again',
  async (t) => {
    for (const events of ['everything', [auth('*')]] as const) {
      const { ids, poll } = open()
      await ids.load()
      const id = await newKeyId()
      const asked = ids.isUnknown(id)
      poll(events)
      t.equal(await asked, false)
    }
  },
)

t.test('changes of records cause no list of ids, and a change of unknown kind does', async (t) => {
  const { ids, poll } = open()
  await ids.load()
  const before = countLists()
  const ask = async (resource: string) => {
    const asked = ids.isUnknown('nobody')
    poll([{ ...auth('customer-1'), resource }])
    await asked
    return countLists() - before
  }
  t.equal(await ask('products'), 0)
  t.equal(await ask('*'), 1)
})

t.test('a change that is reported during a read of the ids is read after it', async (t) => {
  const { ids, poll } = open()
  const loading = ids.load()
  const id = await newKeyId('during')
  const asked = ids.isUnknown(id)
  poll([auth('during')])
  t.equal(await asked, false)
  t.equal(await loading, true)
})

t.test('an older list of the ids does not replace a newer one', async (t) => {
  const slow = createSlowList()
  const { ids, poll } = open({ db: slow.db })
  const loading = ids.load()
  await slow.answered
  const id = await newKeyId('newer')
  const before = countLists()
  const asked = ids.isUnknown(id)
  poll([auth('newer')])
  await Promise.race([asked, passTime()])
  t.equal(countLists(), before, 'the second list waits for the first one')
  slow.release()
  t.same([await loading, await asked, ids.has(id)], [true, false, true])
})

t.test('a change that is reported between two callers causes no second list at the same time', async (t) => {
  const slow = createSlowList()
  const { ids, poll } = open({ db: slow.db })
  const before = countLists()
  const first = ids.load()
  queueMicrotask(() => poll([auth('between')]))
  const second = ids.load()
  await slow.answered
  const id = await newKeyId('between')
  await passTime()
  t.equal(countLists(), before + 1)
  slow.release()
  t.same([await first, await second], [true, true])
  const asked = ids.isUnknown(id)
  poll()
  t.equal(await asked, false, 'the reported change is read with the next question')
})

t.test(
  'nothing is certain after a failed poll, while the database is away, or from another server',
  async (t) => {
    const { ids, poll, state } = open()
    await ids.load()
    const asked = ids.isUnknown('nobody')
    poll([], false)
    t.equal(await asked, false)
    state.isAway = true
    t.equal(await ids.isUnknown('nobody'), false, 'does not wait for a poll')
    state.isAway = false
    state.epoch = 'identity of another server'
    const foreign = ids.isUnknown('nobody')
    poll('everything')
    t.equal(await foreign, false)
    state.epoch = `identity ${servers[0]?.server}`
    const again = ids.isUnknown('nobody')
    poll()
    t.equal(await again, true, 'the ids are read with the next question')
  },
)

t.test('above the bound, every id may exist, and a warning says so', async (t) => {
  const { ids, poll, warnings } = open({ maxIds: 2 })
  for (const _ of [1, 2, 3]) await newKeyId()
  await ids.load()
  t.same(warnings, ['too many API keys'])
  const { rows } = await sql<{ id: string }>`select key_id as id from api_keys`.execute(database.operator)
  t.same(
    rows.filter(({ id }) => ids.has(id)),
    [],
    'no id takes memory',
  )
  t.equal(await ids.isUnknown('nobody'), false)
  await new Promise(setImmediate)
  poll()
})

const logIn = (app: Awaited<ReturnType<typeof createTestApp>>, api_key: string) =>
  app.inject({ method: 'POST', url: '/v1/auth/login', payload: { api_key } })

const start = async (t: Test) => {
  const app = await createTestApp({ ...database, reserved: db })
  t.teardown(() => app.close())
  return app
}

t.test('unknown keys and wrong secrets cost no query for a key', async (t) => {
  const app = await start(t)
  const apiKey = await addCustomer(database, 'queried')
  t.equal((await logIn(app, apiKey)).statusCode, 200)
  const wrong = createKeySecret().formatKey(apiKey.slice(9, 25))
  t.equal((await logIn(app, wrong)).statusCode, 401)
  const before = countLookUps()
  const attempts = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? createApiKey().apiKey : wrong))
  const answers = await Promise.all(attempts.map((each) => logIn(app, each)))
  t.same(new Set(answers.map(({ statusCode }) => statusCode)), new Set([401]))
  t.equal(countLookUps(), before)
  t.equal((await logIn(app, apiKey)).statusCode, 200)
  t.equal(countLookUps(), before + 1, 'a correct key is looked up')
})

t.test('a new key works immediately, on every instance', async (t) => {
  const apps = [await start(t), await start(t)]
  for (const app of apps) t.equal((await logIn(app, createApiKey().apiKey)).statusCode, 401)
  for (let round = 0; round < 5; round += 1) {
    const apiKey = await addCustomer(database, `immediate-${round}`)
    const answers = await Promise.all(apps.map((app) => logIn(app, apiKey)))
    t.same(
      answers.map(({ statusCode }) => statusCode),
      [200, 200],
    )
  }
})
