import { type RawBuilder, sql } from 'kysely'
import t from 'tap'
import { startUpkeep } from '../../../app/db/upkeep.ts'
import { createCommandLine, run } from '../../command-line.ts'
import { asCustomer, closeAfter, createTestApp, createTestDatabase, until } from '../../helper.ts'
import { createSeverable } from '../../severable.ts'

/** Samples decide which changes are pruned, not the age of a change. */

const database = await createTestDatabase()
const app = await createTestApp(database)
closeAfter(t, app, database)

const query = async <Row>(statement: RawBuilder<Row>): Promise<Row[]> =>
  (await statement.execute(database.operator)).rows
const countLog = async () =>
  (
    await query(sql<{ n: number }>`select count(*)::integer as n from change_log where resource = 'products'`)
  )[0]?.n

const backdate = (days: number) =>
  query(sql`update change_samples set sampled_at = sampled_at - ${days}::integer * interval '1 day'`)
/** Transactions of other tests on this server count, too. */
const allBeganHaveEnded = async () => {
  const [{ now }] = (await query(
    sql<{ now: string }>`select pg_snapshot_xmax(pg_current_snapshot())::text as now`,
  )) as [{ now: string }]
  const oldest = sql<{ ended: boolean }>`
    select pg_snapshot_xmin(pg_current_snapshot()) >= ${now}::text::xid8 as ended`
  await until('what began before has ended', async () => (await query(oldest))[0]?.ended === true)
}
const sample = () => query(sql`insert into change_samples values (clock_timestamp(), pg_current_snapshot())`)

const { cli } = createCommandLine({ DATABASE_URL: database.url }, 'changes', 'prune', '--yes')
const prune = async (...options: string[]) => {
  const { code, stdout, stderr } = await cli(...options)
  if (code !== 0) throw new Error(stderr)
  return stdout
}

t.test('changes prune asks first, and then prunes nothing without a yes', async (t) => {
  const ask = (isWatched: boolean, input = '') =>
    run(['changes', 'prune'], {
      env: { DATABASE_URL: database.url },
      input,
      ...(isWatched ? { isWatched } : {}),
    })
  const alone = await ask(false)
  t.match(alone, { code: 1, stdout: '', stderr: /older than 90 days/ })
  t.match(alone.stderr, /Nothing was done: without a terminal, add --yes\n$/)
  for (const input of ['n\n', '\n', '', 'yesterday\n']) {
    const refused = await ask(true, input)
    t.match(refused, { code: 1, stdout: '', stderr: /Continue\? \[y\/N\] Nothing was done\n$/ })
    t.match(refused.stderr, /older than 90 days/)
  }
})

t.test('changes prune deletes rows that no token of 90 days needs; older tokens get 410', async (t) => {
  const { get } = await asCustomer(database, app, 'acme')
  const begin = async () => (await get('/v1/changes')).json().page.next_token
  const add = (id: string) =>
    query(sql`insert into products (customer_id, id, name) values ('acme', ${id}, 'P')`)
  const first = await begin()
  await add('p1')
  t.same(JSON.parse(await prune('--json')), { days: 90, pruned: 0 }, 'nothing without samples that old')
  await allBeganHaveEnded()
  await sample()
  await backdate(91)
  const second = await begin()
  await add('p2')
  t.equal(await countLog(), 2)
  const before = JSON.parse(await prune('--json', '--days', '92'))
  t.same(before, { days: 92, pruned: 0 })
  t.ok(JSON.parse(await prune('--json')).pruned > 0)
  t.equal(await countLog(), 1)
  t.equal((await get(`/v1/changes?after=${first}`)).statusCode, 410)
  t.match((await get(`/v1/changes?after=${second}`)).json().data, [{ id: 'p2' }])
  t.match(await prune('--days', '30'), /^0 changes pruned; tokens older than 30 days have expired\n$/)
  const { rows } = await sql<{ n: number }>`
      select count(*) as n from audit_entries where action = 'changes.prune'`.execute(database.operator)
  t.equal(rows[0]?.n, 4, 'each is written down')
})

t.test('rows of a transaction that was still open are not pruned', async (t) => {
  const { get } = await asCustomer(database, app, 'late')
  let token = ''
  await database.operator.transaction().execute(async (transaction) => {
    await sql`insert into products (customer_id, id, name) values ('late', 'l', 'L')`.execute(transaction)
    // Other transactions of the server must end first.
    const oldest = sql<{
      it: boolean
    }>`select pg_snapshot_xmin(pg_current_snapshot()) = pg_current_xact_id() as it`
    await until('it is the oldest', async () => (await oldest.execute(transaction)).rows[0]?.it === true)
    token = (await get('/v1/changes')).json().page.next_token
    await sample()
    await backdate(100)
    await prune()
  })
  await prune()
  t.match((await get(`/v1/changes?after=${token}`)).json().data, [{ op: 'upsert', id: 'l' }])
})

t.test('wrong usage has exit code 2 and prints help', async (t) => {
  for (const days of ['0', '3651', 'x']) t.equal((await cli('--days', days)).code, 2)
  t.match(await prune('--help'), /--days/)
})

const samples = async () =>
  (await query(sql<{ n: number }>`select count(*)::integer as n from change_samples`))[0]?.n ?? 0

t.test('the service samples and prunes on schedule', async (t) => {
  await query(sql`delete from change_samples`)
  await allBeganHaveEnded()
  await sample()
  await backdate(91)
  await query(sql`insert into products (customer_id, id, name) values ('acme', 'p9', 'P')`)
  await query(sql`insert into record_history (customer_id, resource, record_id, at, old)
    values ('acme', 'products', 'p9', now() - interval '101 days', '{"name": "O"}'),
      ('acme', 'products', 'p8', now() - interval '99 days', '{"name": "O"}')`)
  const warnings: string[] = []
  const stop = startUpkeep({
    db: database.reader,
    historyDays: 100,
    warn: (message) => warnings.push(message),
  })
  await until('it has pruned', async () => (await countLog()) === 1)
  const kept = sql<{ id: string }>`
    select record_id as id from record_history where at < now() - interval '1 day'`
  await until('history, too', async () => (await query(kept)).every(({ id }) => id !== 'p9'))
  await stop()
  t.same(await query(kept), [{ id: 'p8' }], 'history is kept longer than the change log')
  t.equal(await samples(), 2, 'the one that counts, and one of now')
  t.same(warnings, [])
})

t.test('a failure is reported once, and the next run succeeds', async (t) => {
  await query(sql`delete from change_samples`)
  const way = await createSeverable(database.url)
  const db = way.openDb(1)
  t.teardown(() => db.destroy())
  way.sever()
  const warnings: string[] = []
  const stop = startUpkeep({ db, historyDays: 3650, warn: (message) => warnings.push(message), everyMs: 5 })
  await until('it is reported', () => warnings.length > 0)
  await way.mend()
  await until('a sample is there', async () => (await samples()) > 0)
  t.equal(warnings.length, 1, 'once, however often it tried')
  await stop()
  await way.close()
})
