import { sql } from 'kysely'
import t from 'tap'
import { type HistoryListPlan, listHistory } from '../../../app/features/history/list-statement.ts'
import { recordHistory } from '../../../app/features/history/record-statement.ts'
import { resourceNames, resources } from '../../../app/records/resources/index.ts'
import { explain, listScans, rowsRead } from '../../db/explain.ts'
import { connectOwner, createTestDatabase } from '../../helper.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())
const { reader } = database

const seed = [
  `insert into customers (customer_id, name) select 'small-' || i, 'S' from generate_series(0, 96) i`,
  `insert into customers (customer_id, name) values ('large', 'L')`,
  `insert into products (customer_id, id, name) select 'large', 'p' || i, 'N' from generate_series(1, 20000) i`,
  `insert into certificates (customer_id, id, number, title, approval_status, valid_until)
    select 'large', 'c' || i, 'N', 'T', 'approved', date '2020-01-01' + i % 4000 from generate_series(1, 5000) i`,
  `update products set created_at = created_at`,
  `insert into record_history (customer_id, resource, record_id, at, since, old)
    select case when i % 3 = 0 then 'large' else 'small-' || i % 97 end, 'products', 'p' || i % 20000 + 1,
      now() + i * interval '1 second', now(), jsonb_build_object('name', i::text) from generate_series(1, 100000) i`,
  `insert into record_history (customer_id, resource, record_id, at, since, old)
    select 'large', 'certificates', 'c7', now() + i * interval '1 second', now(), jsonb_build_object('title', i::text)
    from generate_series(1, 200) i`,
  // As an import writes it: many changes at one instant.
  `insert into record_history (customer_id, resource, record_id, at, since, old)
    select 'large', 'lab', 'l' || i, now(), now(), jsonb_build_object('title', i::text) from generate_series(1, 20000) i`,
  'analyze',
]

const limit = 50

const readCost = async (statement: Parameters<typeof explain>[1]) => {
  const nodes = await explain(reader, statement)
  const scans = listScans(nodes).filter((node) =>
    /record_history|products|certificates/.test(`${node['Relation Name']}`),
  )
  const sequential = scans
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => node['Relation Name'])
  return { sequential, rows: rowsRead(scans) }
}

t.test('a page of history reads a bounded number of rows', async (t) => {
  const owner = connectOwner(database)
  for (const statement of seed) await sql.raw(statement).execute(owner)
  const { rows: times } = await sql<{ now: string; createdAt: string }>`
    select max(at)::text as now, (select max(created_at)::text from products) as "createdAt"
    from record_history where resource = 'lab'`.execute(owner)
  const { now = '', createdAt = '' } = times[0] ?? {}
  await owner.destroy()
  const all = resourceNames.map((name) => resources[name])
  const list = (changes: Partial<HistoryListPlan>) =>
    listHistory({
      customerId: 'large',
      resources: all,
      since: undefined,
      limit,
      after: undefined,
      ...changes,
    })
  const after = (ms: number) => new Date(Date.now() + ms).toISOString()
  const plans = {
    'all records': list({}),
    'a later page': list({ after: [after(40_000_000), 'products', 'p5', '9'] }),
    'a page within an instant': list({ after: [now, 'lab', 'l15000', '170001'] }),
    'creations within an instant': list({
      resources: [resources.products],
      since: '2020-01-01T00:00:00Z',
      after: [createdAt, 'products', 'p15000', '0'],
    }),
    'a rare resource': list({
      resources: [resources.certificates],
      after: [after(60_000), 'certificates', 'c7', '200001'],
    }),
    'one resource, since': list({ resources: [resources.products], since: after(90_000_000) }),
  }
  for (const [name, plan] of Object.entries(plans)) {
    const { sequential, rows } = await readCost(plan)
    t.comment(`${name}: ${rows} rows`)
    t.same(sequential, [], name)
    t.ok(rows > 0 && rows < 20 * limit, `${name}: ${rows} rows`)
  }
  const record = { customerId: 'large', resource: resources.certificates, id: 'c7', limit, day: '2026-11-21' }
  const first = await readCost(recordHistory({ ...record, after: undefined }))
  t.same(first.sequential, [])
  t.ok(first.rows < 3 * limit, `${first.rows} rows`)
  let position: readonly string[] | undefined
  for (let page = 0; page < 18; page++) {
    const [row] = (await recordHistory({ ...record, limit: 10, after: position }).execute(reader)).rows
    t.equal(row?.found, 11)
    position = row?.last?.[0]
  }
  const deep = await readCost(recordHistory({ ...record, limit: 10, after: position }))
  t.comment(`page 19 of a record: ${deep.rows} rows`)
  t.ok(deep.rows < 60, 'a later page of a record does not read the pages before it')
})
