import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { importRecords } from '../../../app/import/index.ts'
import { addDays } from '../../api/oracle.ts'
import { createTestDatabase, startTestFence } from '../../helper.ts'
import { cases, fc } from '../../random.ts'
import { type Asker, readAll } from '../../records/read-all.ts'
import { testPostgres } from '../../servers.ts'
import { changeIdentity, createFollower, type Follower, listDifferences } from './follower.ts'

/** After random schedules, a client that follows the tokens has exactly the rows of a full read. */
const runs = cases(100)

const database = await createTestDatabase()
const elsewhere = await testPostgres()
const connect = async (url = database.url) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}
const owner = await connect()
const other = await connect(elsewhere.url)
const writerCount = 3
const writers = await Promise.all(
  Array.from({ length: writerCount }, async () => {
    const client = await connect()
    await client.query(`set role certdata_operator; set lock_timeout = '20ms'`)
    return client
  }),
)
await owner.query(`select begin_changes(interval '0')`)
await other.query('create table numbers (n integer)')
const { poller, freshness } = await startTestFence(database.url)
t.teardown(async () => {
  await poller.close()
  for (const client of [owner, other, ...writers]) await client.end()
  await elsewhere.stop()
  await database.close()
})

type Write = Readonly<{
  kind: 'upsert' | 'delete' | 'rename'
  resource: 'certificates' | 'products' | 'countries'
  id: number
  from: number | null
  until: number | null
  status: string
}>
type Action =
  | { do: 'write'; writer: number; write: Write }
  | { do: 'end'; writer: number; how: 'commit' | 'rollback' | 'prepare' }
  | { do: 'race'; writer: number; how: 'commit' | 'rollback'; limit: number }
  | { do: 'finish' }
  | { do: 'elsewhere' }
  | { do: 'step' | 'catchUp'; limit: number }
  | { do: 'start' }
  | { do: 'midnight'; days: number }
  | { do: 'window'; window: number }
  | { do: 'restore' }
  | { do: 'truncate' }

/** Few ids, so that writers conflict. */
const idCount = 3

const day = fc.option(fc.integer({ min: -3, max: 6 }), { freq: 4 })
const write: fc.Arbitrary<Write> = fc.record({
  kind: fc.constantFrom('upsert', 'upsert', 'upsert', 'delete', 'delete', 'rename'),
  resource: fc.constantFrom('certificates', 'certificates', 'certificates', 'products', 'countries'),
  id: fc.integer({ min: 0, max: idCount - 1 }),
  from: day,
  until: day,
  status: fc.constantFrom('approved', 'approved', 'conditional', 'pending', 'suspended'),
})
const writer = fc.nat(writerCount - 1)
const limit = fc.constantFrom(1, 1, 2, 3, 500)
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 48, arbitrary: fc.record({ do: fc.constant('write' as const), writer, write }) },
  {
    weight: 20,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      writer,
      how: fc.constantFrom('commit', 'commit', 'commit', 'rollback', 'prepare'),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('race' as const),
      writer,
      how: fc.constantFrom('commit', 'commit', 'rollback'),
      limit,
    }),
  },
  { weight: 4, arbitrary: fc.constantFrom<Action>({ do: 'finish' }, { do: 'elsewhere' }) },
  { weight: 32, arbitrary: fc.record({ do: fc.constantFrom('step', 'step', 'catchUp'), limit }) },
  { weight: 4, arbitrary: fc.constant<Action>({ do: 'start' }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('midnight' as const), days: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('window' as const), window: fc.constantFrom(1, 2, 4, 90) }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Action>({ do: 'restore' }, { do: 'truncate' }) },
)

const today = '2026-11-21'
const countries = ['AA', 'BB', 'CC']

const getSql = (
  customerId: string,
  { kind, resource, id, from, until, status }: Write,
  now: string,
): string => {
  const text = (value: string | null) => (value === null ? 'null' : `'${value}'`)
  const date = (days: number | null) => (days === null ? 'null' : `'${addDays(now, days)}'`)
  const name = resource === 'countries' ? countries[id] : `r${id}`
  const next = resource === 'countries' ? countries[(id + 1) % idCount] : `r${(id + 1) % idCount}`
  const owned = resource === 'countries' ? 'true' : `customer_id = '${customerId}'`
  if (kind === 'delete') return `delete from ${resource} where ${owned} and id = '${name}'`
  if (kind === 'rename') {
    const code = resource === 'countries' ? `, code = '${next}'` : ''
    return `update ${resource} set id = '${next}'${code} where ${owned} and id = '${name}'`
  }
  if (resource === 'countries') {
    return `insert into countries (id, code, alpha3, name, region, requirements)
      values ('${name}', '${name}', 'XXX', ${text(String(from))}, 'cis', '(,,,,,)')
      on conflict (id) do update set name = excluded.name`
  }
  if (resource === 'products') {
    return `insert into products (customer_id, id, name) values ('${customerId}', '${name}', ${text(String(from))})
      on conflict (customer_id, id) do update set name = excluded.name`
  }
  return `insert into certificates (customer_id, id, number, title, approval_status, valid_from, valid_until)
    values ('${customerId}', '${name}', 'N', 'T', '${status}', ${date(from)}, ${date(until)})
    on conflict (customer_id, id) do update set approval_status = excluded.approval_status,
      valid_from = excluded.valid_from, valid_until = excluded.valid_until`
}

let worlds = 0

const createWorld = async () => {
  const asker: Asker = { customerId: `customer-${++worlds}`, day: today }
  const { customerId } = asker
  await owner.query(`insert into customers (customer_id, name) values ('${customerId}', 'x')`)
  // No later write changes these, only days and windows.
  await owner.query(`insert into certificates (customer_id, id, number, title, approval_status, valid_from, valid_until)
    select '${customerId}', 's' || n, 'N', 'T', 'approved', date '${today}' + n - 3, date '${today}' + n
    from generate_series(-1, 7) n`)
  const follower: Follower = createFollower(database, asker, freshness)
  const open = new Set<number>()
  const prepared: string[] = []
  let isOpenElsewhere = false
  let identities = 0

  const query = async (index: number, text: string): Promise<void> => {
    try {
      await writers[index]?.query(text)
    } catch {
      // A conflict between writers, or of two records with one id, ends this transaction.
      await writers[index]?.query('rollback')
      open.delete(index)
    }
  }
  const end = async (index: number, how: 'commit' | 'rollback' | 'prepare') => {
    if (!open.delete(index)) return
    if (how !== 'prepare') return query(index, how)
    const name = `${customerId}-${prepared.length}-${Math.random()}`
    await query(index, `prepare transaction '${name}'`)
    prepared.push(name)
  }
  const finish = async () => {
    for (const name of prepared.splice(0)) {
      await owner.query(`commit prepared '${name}'`).catch(() => {})
    }
  }
  const endAll = async (how: 'commit' | 'rollback') => {
    for (const index of [...open]) await end(index, how)
    await finish()
  }

  const act = async (each: Action): Promise<unknown> => {
    switch (each.do) {
      case 'write':
        if (!open.has(each.writer)) await writers[each.writer]?.query('begin')
        open.add(each.writer)
        return query(each.writer, getSql(customerId, each.write, asker.day))
      case 'end':
        return end(each.writer, each.how)
      case 'race':
        return Promise.all([end(each.writer, each.how), follower.step(each.limit)])
      case 'finish':
        return finish()
      case 'elsewhere':
        await other.query(isOpenElsewhere ? 'commit' : 'begin; insert into numbers values (1)')
        isOpenElsewhere = !isOpenElsewhere
        return
      case 'step':
        return follower.step(each.limit)
      case 'catchUp':
        return follower.catchUp(each.limit)
      case 'start':
        return follower.start()
      case 'midnight':
        asker.day = addDays(asker.day, each.days)
        return
      case 'window':
        await owner.query('update customers set expiring_within = $2 where customer_id = $1', [
          customerId,
          each.window,
        ])
        return
      case 'restore':
        await endAll('rollback')
        // Removes the newest record without a row in the log.
        await owner.query(`alter table certificates disable trigger certificates_log_delete;
          delete from certificates where customer_id = '${customerId}' and id = (
            select max(id) from certificates where customer_id = '${customerId}');
          alter table certificates enable always trigger certificates_log_delete`)
        return changeIdentity(owner, `${customerId}-${++identities}`)
      case 'truncate':
        await endAll('commit')
        return owner.query('truncate products')
    }
  }

  return {
    follower,
    async run(actions: readonly Action[]) {
      await follower.start()
      for (const each of actions) await act(each)
    },
    async close() {
      await endAll('commit')
      if (isOpenElsewhere) await other.query('commit')
      isOpenElsewhere = false
    },
    differences: async () =>
      listDifferences(
        follower.records,
        await readAll(database, asker, ['certificates', 'products', 'countries']),
      ),
  }
}

/** A schedule that failed once, and one with a restore, because random ones may have none. */
const examples: [Action[], number][] = [
  // The window changes during the walk of a day. A day later, the values are as before both.
  [
    [
      { do: 'midnight', days: 2 },
      { do: 'step', limit: 1 },
      { do: 'window', window: 1 },
      { do: 'step', limit: 1 },
      { do: 'step', limit: 1 },
      { do: 'midnight', days: 1 },
      { do: 'step', limit: 2 },
      { do: 'step', limit: 1 },
    ],
    500,
  ],
  [[{ do: 'step', limit: 1 }, { do: 'restore' }, { do: 'step', limit: 1 }], 500],
]

t.test('a follower of the tokens has exactly the rows of a full read', async (t) => {
  let restarts = 0
  let done = 0
  const property = fc.asyncProperty(
    fc.array(action, { minLength: 5, maxLength: 60, size: 'max' }),
    limit,
    async (actions, lastLimit) => {
      const world = await createWorld()
      try {
        await world.run(actions)
        await world.close()
        await world.follower.catchUp(lastLimit)
      } finally {
        await world.close()
      }
      restarts += world.follower.restarts
      done += 1
      const differences = await world.differences()
      if (differences.length > 0) throw new Error(differences.join('\n'))
    },
  )
  const bounds = { numRuns: runs, examples }
  t.setTimeout(300_000 + runs * 2_000)
  const { failed, counterexample, error, errorInstance } = (await fc.check(
    property,
    bounds,
  )) as fc.RunDetails<[Action[], number]> & { error?: string }
  t.notOk(failed, `${error ?? ''} ${errorInstance ?? ''} ${JSON.stringify(counterexample)}`)
  t.equal(done, runs, `${restarts} restarts`)
  t.ok(restarts > 0, 'some after a restore')
})

/** Imports three months of real registers, each with --replace, while clients follow. */
const months = ['2026-01-06', '2026-02-28', '2026-04-25']
const folder = join(import.meta.dirname, '../../data')
const readFile = (day: string) => gunzipSync(readFileSync(join(folder, `certifications-${day}.ndjson.gz`)))
const countLines = (files: readonly Buffer[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const line of files.flatMap((bytes) => bytes.toString().trimEnd().split('\n'))) {
    const { customer } = JSON.parse(line) as { customer: string }
    counts.set(customer, (counts.get(customer) ?? 0) + 1)
  }
  return counts
}

/** The 12 largest customers and some small ones. */
const chooseCustomers = (): string[] => {
  const bySize = [...countLines(months.map(readFile))].sort((a, b) => b[1] - a[1])
  return bySize.map(([customer]) => customer).filter((_, index) => index < 12 || index % 40 === 0)
}

t.test('after three imports with --replace, followers have the records of a full read', async (t) => {
  await sql`select begin_changes(interval '0')`.execute(database.operator)
  const names = chooseCustomers()
  const followers: { asker: Asker; follower: Follower; limit: number }[] = []
  for (const [index, customerId] of names.entries()) {
    const asker: Asker = { customerId, day: '2026-01-01' }
    const follower = createFollower(database, asker, freshness)
    await follower.start()
    await follower.step(1)
    followers.push({ asker, follower, limit: [500, 50, 7][index % 3] as number })
  }
  const [watched] = followers as [(typeof followers)[0]]
  for (const month of months) {
    const importing = importRecords(database.operator, ReadableStream.from([readFile(month)]), {
      replace: true,
    })
    let isRunning = true
    const done = importing.finally(() => {
      isRunning = false
    })
    while (isRunning) {
      await watched.follower.step(50)
      // An empty poll needs no database, so the loop would take a whole core from the import.
      await delay(20)
    }
    const { bad } = await done
    t.equal(bad, 0)
    for (const { asker, follower, limit } of followers.filter((_, index) => index % 2 === 0)) {
      asker.day = month
      await follower.catchUp(limit)
    }
  }
  let records = 0
  let restarts = 0
  for (const { asker, follower, limit } of followers) {
    asker.day = '2026-05-01'
    await follower.catchUp(limit)
    const all = await readAll(database, asker)
    t.same(listDifferences(follower.records, all), [], asker.customerId)
    records += all.size
    restarts += follower.restarts
  }
  t.comment(`${followers.length} followers, ${records} records`)
  t.equal(restarts, 0, 'nobody had to start again')
  t.ok(records > 1000)
})
