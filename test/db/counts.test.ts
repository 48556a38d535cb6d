import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { parsePairs } from '../../app/http/pairs.ts'
import { parseQuery } from '../../app/records/query/parse.ts'
import { planQuery } from '../../app/records/query/plan.ts'
import { resources } from '../../app/records/resources/index.ts'
import { describeView, pageStatement } from '../../app/records/sql/statement.ts'
import { dropIndexes } from '../../bench/lib/indexes.ts'
import { maxTotal } from '../../schemas/page.ts'
import { createTestDatabase } from '../helper.ts'
import { countLookUps, explain, rowsRead } from './explain.ts'

const database = await createTestDatabase()
t.teardown(() => database.close())

const customerId = 'huge'
const products = 104_000
/** By name, the first products do not have the word "late". */
const firstLate = 3_000
const lateProducts = products - firstLate + 1

/** As the triggers would, without their cost. Drafts are the last thousand products. */
const seed = `
  insert into customers (customer_id, name) values ('${customerId}', 'Huge');
  alter table products disable trigger user;
  insert into products (customer_id, id, name, model_sort, brand, product_status)
    select '${customerId}', 'p' || i, 'Name ' || lpad(i::text, 6, '0') || case when i >= ${firstLate} then ' late' else '' end,
      'w', case when i <= ${maxTotal} then 'Brand' end, case when i > ${products - 1000} then 'draft' else 'active' end
    from generate_series(1, ${products}) i;
  insert into record_words (customer_id, resource, id, words)
    select customer_id, 'products', id, array_to_tsvector(
      array(select 'products/${customerId}/' || word from unnest(string_to_array(lower(name), ' ')) word)) from products`

const client = new pg.Client({ connectionString: database.url })
await client.connect()
const tables = ['products', 'record_words']
const indexes = await dropIndexes(client, tables)
await client.query(seed)
for (const index of indexes) await client.query(index)
for (const table of tables) await client.query(`vacuum analyze ${table}`)
await client.end()

const getPlan = (query: string) => {
  const outcome = parseQuery(resources.products, 'page', parsePairs(query))
  if ('faults' in outcome) throw new Error(JSON.stringify(outcome.faults))
  return planQuery(outcome.query, { customerId, today: '2026-11-21' })
}
const read = async (query: string) => {
  const plan = getPlan(query)
  const row = (await pageStatement(plan).execute(database.reader)).rows[0]
  if (!row) throw new Error('the statement returned no row')
  const page = describeView(row, plan, false)
  return { page, ids: (JSON.parse(row.data) as { id: string }[]).map(({ id }) => id) }
}

t.test('count=exact counts up to a number, and marks a lower bound', async (t) => {
  const bound = { total: maxTotal, total_is_lower_bound: true }
  const cases: [query: string, total: object][] = [
    ['', bound],
    ['product_status=active', bound],
    ['brand=Brand', { total: maxTotal }],
    ['product_status=draft', { total: 1000 }],
    ['q=name', bound],
    ['q=late', bound],
    ['q=name 000777', { total: 1 }],
    ['q=name&product_status=draft', { total: 1000 }],
    ['q=name nothing', { total: 0 }],
  ]
  for (const [query, total] of cases) {
    const { page } = await read(`${query}&count=exact&limit=1`)
    const counted = page as Record<string, unknown>
    if (query === 'q=name&product_status=draft') {
      t.equal(counted.total_is_lower_bound, true, `${query}: not all matches of the words were tested`)
      t.ok(Number(counted.total) <= 1000, query)
    } else t.same(counted, total, query)
  }
})

t.test('a count reads no more rows than it counts', async (t) => {
  for (const query of ['', 'product_status=active', 'q=name']) {
    const nodes = await explain(database.reader, pageStatement(getPlan(`${query}&count=exact&limit=1`)))
    const read = rowsRead(nodes)
    t.ok(read < maxTotal + 1000, `${query}: ${read} rows`)
  }
})

t.test('a count does not test the words of each record that the index of words left out', async (t) => {
  const countWords = async (query: string) =>
    countLookUps(await explain(database.reader, pageStatement(getPlan(query))))
  const query = 'q=name&product_status=draft&limit=1'
  t.equal(await countWords(`${query}&count=exact`), await countWords(query))
})

t.test('a page has the first records, although more match than the index of words returns', async (t) => {
  t.ok(lateProducts > maxTotal)
  const first = Array.from({ length: 50 }, (_, index) => `p${firstLate + index}`)
  t.same((await read('q=late')).ids, first)
  t.same((await read('q=late&product_status=active')).ids, first)
  const last = Array.from({ length: 50 }, (_, index) => `p${products - index}`)
  t.same((await read('q=late&sort=-name')).ids, last)
  t.same((await read('q=late&product_status=draft&sort=-name')).ids, last)
})

t.test('the owner finds no more words than it is asked for', async (t) => {
  const find = async (most: number) => {
    const { rows } = await sql<{ id: string }>`select w.id
      from (select set_config('app.customer_id', ${customerId}, true) as owner offset 0) s
      cross join lateral find_by_words(s.owner, 'products', array['name'], ${most}) w (id)`.execute(
      database.reader,
    )
    return rows.length
  }
  t.equal(await find(7), 7)
  t.equal(await find(products + 1), products)
})
