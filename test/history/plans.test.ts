import { sql } from 'kysely'
import t from 'tap'
import { listHistory } from '../../app/records/history/list-statement.ts'
import { recordHistory } from '../../app/records/history/record-statement.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { explain, scansOf } from '../db/explain.ts'
import { connectOwner, createTestDatabase } from '../helper.ts'

/** The cost of a page of history, asked of EXPLAIN in the serving role: neither the table nor other customers count. */
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
  'analyze',
]

const limit = 50

/** Rows that scans of tables with history or records have read. */
const costOf = async (statement: Parameters<typeof explain>[1]) => {
  const nodes = await explain(reader, statement)
  const scans = scansOf(nodes).filter((node) =>
    /record_history|products|certificates/.test(`${node['Relation Name']}`),
  )
  const sequential = scans
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => node['Relation Name'])
  const rows = scans.reduce(
    (sum, node) =>
      sum +
      (Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0)) *
        Number(node['Actual Loops']),
    0,
  )
  return { sequential, rows }
}

t.test('a page of history costs itself', async (t) => {
  const owner = connectOwner(database)
  await sql`set statement_timeout = 0`.execute(owner)
  for (const statement of seed) await sql.raw(statement).execute(owner)
  await owner.destroy()
  const all = resourceNames.map((name) => resources[name])
  const plans = {
    'all records': listHistory({
      customerId: 'large',
      resources: all,
      since: undefined,
      limit,
      after: undefined,
    }),
    'a later page': listHistory({
      ...{ customerId: 'large', resources: all, since: undefined, limit },
      after: [new Date(Date.now() + 40_000_000).toISOString(), 'products', 'p5', '9'],
    }),
    'one resource, since': listHistory({
      ...{ customerId: 'large', resources: [resources.products], limit, after: undefined },
      since: new Date(Date.now() + 90_000_000).toISOString(),
    }),
  }
  for (const [name, plan] of Object.entries(plans)) {
    const { sequential, rows } = await costOf(plan)
    t.comment(`${name}: ${rows} rows`)
    t.same(sequential, [], name)
    t.ok(rows > 0 && rows < 20 * limit, `${name}: ${rows} rows`)
  }
  const record = { customerId: 'large', resource: resources.certificates, id: 'c7', limit, day: '2026-11-21' }
  const first = await costOf(recordHistory({ ...record, after: undefined }))
  t.same(first.sequential, [])
  t.ok(first.rows < 3 * limit, `${first.rows} rows`)
})
