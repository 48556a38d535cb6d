import { sql } from 'kysely'
import t from 'tap'
import { changeDemoRecord, startDemoUndo } from '../../../app/features/demo/changes.ts'
import { loadExampleData } from '../../../app/local/example-data.ts'
import { listExampleData } from '../../../app/local/example-records.ts'
import {
  addCustomer,
  closeAfter,
  connectOwner,
  createTestApp,
  createTestDatabase,
  publicUrl,
  until,
} from '../../helper.ts'

const database = await createTestDatabase()
const today = new Date().toISOString().slice(0, 10)
await loadExampleData(database.operator, today)
const owner = connectOwner(database)
const clock = { offsetMs: 0, isStopped: true }
const app = await createTestApp(database, { clock, env: { TRUSTED_PROXIES: '127.0.0.1' } })
closeAfter(t, app, owner, database)

const query = async <Row>(text: string): Promise<Row[]> => (await sql.raw<Row>(text).execute(owner)).rows
const originals = new Map(
  listExampleData(today).flatMap(({ resource, id, status }) =>
    resource === 'approvals' ? [[id, status]] : [],
  ),
)
/** Lists the approvals whose status differs from the example data. */
const listChanged = async () => {
  const rows = await query<{ id: string; status: string }>(
    `select id, status from approvals where customer_id = 'demo' order by id`,
  )
  return rows.filter(({ id, status }) => originals.get(id) !== status).map(({ id }) => id)
}
const makeDue = () => query('update demo_changes set until = now() where until is not null')
const undo = () => sql`select from change_demo_record(false)`.execute(database.reader)
const sameOrigin = { origin: publicUrl, 'sec-fetch-site': 'same-origin' }
const post = (headers: Record<string, string> = sameOrigin, address = '192.0.2.1') => {
  const forwarded = { 'x-forwarded-for': address, 'x-forwarded-proto': 'https' }
  return app.inject({
    method: 'POST',
    url: '/demo/change',
    headers: { host: 'api.test', ...forwarded, ...headers },
  })
}

t.test('a change advances one of five example records, and a later call undoes it', async (t) => {
  const change = await changeDemoRecord(database.reader)
  t.match(change, { resource: 'approvals', id: 'apr-levelsense-de', status: 'testing' })
  const leftMs = Date.parse(change.until ?? '') - Date.now()
  t.ok(leftMs > 50_000 && leftMs < 70_000, 'for a minute')
  t.same(await listChanged(), [change.id])
  await undo()
  t.same(await listChanged(), [change.id], 'not before it is due')
  await makeDue()
  await undo()
  t.same(await listChanged(), [])
})

t.test('each of five records changes once, and a sixth change undoes the oldest', async (t) => {
  const changed: string[] = []
  for (let i = 0; i < 5; i++) changed.push((await changeDemoRecord(database.reader)).id)
  t.same(await listChanged(), changed.toSorted())
  t.equal(new Set(changed).size, 5)
  t.match(await changeDemoRecord(database.reader), { id: changed[0], status: 'preparing', until: null })
  t.same(await listChanged(), changed.slice(1).toSorted())
  await makeDue()
  await undo()
  t.same(await listChanged(), [])
})

t.test('changes at the same time take different records', async (t) => {
  const changes = await Promise.all(Array.from({ length: 3 }, () => changeDemoRecord(database.reader)))
  t.equal(new Set(changes.map(({ id }) => id)).size, 3)
  await makeDue()
  await undo()
  t.same(await listChanged(), [])
})

t.test('a running service undoes due changes, and continues after a failure', async (t) => {
  const warnings: string[] = []
  await sql`revoke execute on function change_demo_record from certdata_reader`.execute(owner)
  const stop = startDemoUndo({ db: database.reader, everyMs: 5, warn: (message) => warnings.push(message) })
  t.teardown(stop)
  await until('it is reported', () => warnings.length > 0)
  await sql`grant execute on function change_demo_record to certdata_reader`.execute(owner)
  await changeDemoRecord(database.reader)
  await makeDue()
  await until('it is undone', async () => (await listChanged()).length === 0)
})

t.test('the daily renewal of the example data undoes every change', async (t) => {
  await changeDemoRecord(database.reader)
  await loadExampleData(database.operator, today)
  t.same(await listChanged(), [])
  await makeDue()
  await undo()
  t.same(await listChanged(), [])
})

t.test('the five records are example records that can change', async (t) => {
  const rows = await query<{ id: string; status: string }>(
    `select d.id, a.status from demo_changes d join approvals a on a.customer_id = 'demo' and a.id = d.id`,
  )
  t.equal(rows.length, 5)
  for (const { id, status } of rows)
    t.match(status, /^(preparing|testing|submitted|in_review|information_requested)$/, id)
})

t.test('changes no live record, even with the same id', async (t) => {
  await addCustomer(database, 'live')
  await query(`insert into approvals (customer_id, id, product_id, country_code, scheme, status)
    select 'live', id, 'p', 'DE', 'CE RED', 'preparing' from demo_changes`)
  const state = () =>
    query(
      `select md5(string_agg(a::text, ',' order by id)) as md5 from approvals a where customer_id = 'live'`,
    )
  const before = await state()
  for (let i = 0; i < 7; i++) await changeDemoRecord(database.reader)
  await makeDue()
  await undo()
  t.same(await state(), before)
  const logged = await query(`select from change_log where customer_id = 'live' and resource = 'approvals'
    and xid > (select min(xid) from change_log where customer_id = 'live' and resource = 'approvals')`)
  t.same(logged, [])
})

t.test('only a page of the service may send the change', async (t) => {
  const refused: Record<string, string>[] = [
    {},
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: publicUrl, 'sec-fetch-site': 'cross-site' },
    { origin: publicUrl, 'sec-fetch-site': 'same-site' },
    { origin: publicUrl, 'sec-fetch-site': 'none' },
  ]
  for (const headers of refused) {
    t.match((await post(headers)).json(), { status: 403, code: 'cross_origin' }, JSON.stringify(headers))
  }
  t.same(await listChanged(), [])
  const sent = await post({ origin: 'http://api.test' }, '192.0.2.9')
  t.equal(sent.statusCode, 200, 'from a browser that sends no Sec-Fetch-Site')
  t.equal(sent.headers['cache-control'], 'no-store')
  t.match((await app.inject('/demo/change')).json(), { status: 405, code: 'method_not_allowed' })
})

t.test('an address may change one record in 10 s', async (t) => {
  t.match((await post()).json(), { resource: 'approvals', id: /^apr-/, until: /Z$/ })
  const refused = await post()
  t.equal(refused.statusCode, 429)
  t.equal(refused.headers['content-type'], 'application/problem+json')
  const seconds = Number(refused.headers['retry-after'])
  t.ok(seconds >= 1 && seconds <= 20, `${seconds} s`)
  t.match(refused.json(), { code: 'quota_exceeded', 'violated-policies': ['demo_changes'] })
  t.equal((await post(sameOrigin, '192.0.2.2')).statusCode, 200, 'another address is counted by itself')
  clock.offsetMs += seconds * 1_000
  t.equal((await post()).statusCode, 200)
})

t.test('all addresses together may change 60 records in a minute', async (t) => {
  clock.offsetMs += 120_000
  for (let i = 0; i < 60; i++) {
    const answer = await post(sameOrigin, `198.51.100.${i}`)
    if (answer.statusCode !== 200) t.fail(`change ${i}: ${answer.body}`)
  }
  const refused = await post(sameOrigin, '198.51.100.60')
  t.match(refused.json(), { status: 429, code: 'quota_exceeded', 'violated-policies': ['demo_changes_all'] })
  t.match(refused.headers['retry-after'], /^\d+$/)
  clock.offsetMs += 120_000
  t.equal((await post(sameOrigin, '198.51.100.60')).statusCode, 200)
})

t.test('the history of a changed example record stays below 100 entries', async (t) => {
  const countRows = async () => {
    const rows = await query<{ rows: number }>(`select count(*)::integer as rows from record_history
    where customer_id = 'demo' and resource = 'approvals' group by record_id`)
    return Math.max(...rows.map(({ rows }) => rows))
  }
  const readEntries = () =>
    query<{ old: { status?: string } | null }>(`select old from record_history
    where customer_id = 'demo' and record_id = 'apr-levelsense-de' order by position`)
  let highest = 0
  for (let i = 0; i < 130; i++) {
    await changeDemoRecord(database.reader)
    await makeDue()
    await undo()
    highest = Math.max(highest, await countRows())
  }
  t.ok(highest > 80 && highest <= 100, `${highest} rows at most`)
  const [mark, ...entries] = await readEntries()
  t.same(mark?.old, {}, 'a mark says that older entries were deleted')
  t.ok(entries.length >= 49 && entries.length < 100, `${entries.length} entries`)
  t.ok(
    entries.every(({ old }) => old?.status !== undefined),
    'none is a creation',
  )
})

t.test('concurrent changes keep below 100 entries, too', async (t) => {
  for (let i = 0; i < 60; i++) {
    await Promise.all(Array.from({ length: 10 }, () => changeDemoRecord(database.reader).catch(() => {})))
    await makeDue()
    await undo()
  }
  const rows = await query<{ record_id: string; rows: number }>(`select record_id, count(*)::integer as rows
    from record_history where customer_id = 'demo' group by record_id having count(*) > 100`)
  t.same(rows, [])
})

t.test('without example data there is nothing to change', async (t) => {
  await query(`delete from approvals where customer_id = 'demo'`)
  clock.offsetMs += 60_000
  t.match((await post()).json(), { status: 503, code: 'unavailable' })
})

t.test('a migration inserts the five records', async (t) => {
  const rows = await query<{ id: string }>('select id from demo_changes order by id')
  t.same(
    rows.map(({ id }) => id),
    [
      'apr-levelsense-de',
      'apr-levelsense-us',
      'apr-lumen-gateway-kw',
      'apr-lumen-gateway-lte-cn',
      'apr-smartlock-br',
    ],
  )
})
