import { sql } from 'kysely'
import t from 'tap'
import {
  createDb,
  createPool,
  type NamedStatement,
  type QueuedDb,
  readerRole,
  readRowInTurn,
} from '../../app/db/connect.ts'
import { compile as compileStatement } from '../../app/db/statement-cache.ts'
import { parsePairs } from '../../app/http/pairs.ts'
import { parseQuery } from '../../app/records/query/parse.ts'
import { planQuery, type QueryPlan } from '../../app/records/query/plan.ts'
import { resources } from '../../app/records/resources/index.ts'
import { createShapes } from '../../app/records/sql/shapes.ts'
import { type PageRow, pageStatement } from '../../app/records/sql/statement.ts'
import { closeAfter, connectOwner, createTestDatabase } from '../helper.ts'
import { explain, listScans } from './explain.ts'

const database = await createTestDatabase()
const open = (prepares: boolean) =>
  createDb(
    createPool(database.url, {
      role: readerRole,
      max: 1,
      applicationName: 'test',
      onError: () => {},
    }),
    { prepares },
  )
const db = open(true)
const owner = connectOwner(database)
closeAfter(t, db, owner, database)

const today = '2026-11-21'
const rowCount = 3_000
/** Certificates that end on the same day. */
const ties = 5
await sql`insert into customers (customer_id, name) values ('a', 'A'), ('b', 'B')`.execute(database.operator)
await sql`insert into products (customer_id, id, name) select c, 'p' || n, 'P' from unnest(array['a', 'b']) c,
  generate_series(1, 20) n`.execute(database.operator)
await sql`
  insert into certificates (customer_id, id, number, title, approval_status, valid_from, valid_until, product_id,
    country_code, tags)
  select c, 'x' || n, 'N' || n, c || n, 'approved', date '2024-01-01' + n % 900,
    nullif(date '2026-01-01' + n % 700, date '2026-01-01'), 'p' || n % 20,
    (array['DE', 'FR', 'IT', null])[1 + n % 4], case n % 2 when 0 then array['red', 'round'] else array['blue', 'flat'] end
  from unnest(array['a', 'b']) c, generate_series(1, ${sql.lit(rowCount)}) n`.execute(database.operator)
await sql`analyze`.execute(owner)

/** Then the planner expects few rows of each customer. */
const addSmallCustomers = async () => {
  await sql`insert into customers (customer_id, name) select 'small-' || n, 'S' from generate_series(1, 300) n`.execute(
    database.operator,
  )
  await sql`
    insert into certificates (customer_id, id, number, title, approval_status, valid_until)
    select 'small-' || n, 'x' || i, 'N' || i, 'S', 'approved', date '2026-01-01' + i
    from generate_series(1, 300) n, generate_series(1, 3) i`.execute(database.operator)
  await sql`analyze`.execute(owner)
}

const getPlan = (query: string, customerId = 'a', day = today, after?: string[]): QueryPlan => {
  const outcome = parseQuery(resources.certificates, 'page', parsePairs(query))
  if ('faults' in outcome) throw new Error(JSON.stringify(outcome.faults))
  return planQuery(outcome.query, { customerId, today: day }, after)
}
const compile = (plan: QueryPlan) => compileStatement(pageStatement(plan))
/** Repeats the query until its shape is kept. */
const keep = (plan: QueryPlan, shapes = createShapes(compile, () => 0)): NamedStatement => {
  for (let i = 0; i < 10; i++) {
    const found = shapes.find(plan)
    if (found) return found
  }
  throw new Error('never kept')
}
const run = (statement: NamedStatement, on: QueuedDb = db): Promise<PageRow> =>
  readRowInTurn(on, 'a', statement)
const lasting = ({ data, found, last, total }: PageRow) => ({ data, found, last, total })

/** Pairs of one shape with different values. The index of the first sort key serves them all. */
const bound: [QueryPlan, QueryPlan][] = [
  [getPlan(''), getPlan('', 'b')],
  [getPlan(''), getPlan('', 'a', '2027-05-01')],
  [
    getPlan('expiring_within=10&sort=valid_until&valid_until[gte]=2027-01-01'),
    getPlan('expiring_within=200&sort=valid_until&valid_until[gte]=2027-01-01'),
  ],
  [getPlan('sort=valid_until&limit=7'), getPlan('sort=valid_until&limit=7', 'b')],
  [
    getPlan('sort=valid_until&valid_until[gte]=2026-12-01&valid_until[lt]=2027-01-01&fields=valid_until'),
    getPlan('sort=valid_until&valid_until[gte]=2027-02-01&valid_until[lt]=2027-03-01&fields=valid_until'),
  ],
  [
    getPlan('sort=-valid_until,number&include=product', 'a', today, ['2027-06-01', 'N5', 'x5']),
    getPlan('sort=-valid_until,number&include=product', 'b', today, ['2026-06-01', 'N900', 'x900']),
  ],
  [getPlan('id=x5'), getPlan('id=x6', 'b')],
  [
    getPlan('sort=updated_at&updated_at[lt]=2050-01-01'),
    getPlan('sort=updated_at&updated_at[lt]=2001-01-01'),
  ],
]
/** Pairs whose values the planner must see. */
const unbound: [QueryPlan, QueryPlan][] = [
  [getPlan('country_code=DE'), getPlan('country_code=FR')],
  [getPlan('country_code=DE,FR&limit=3'), getPlan('country_code=IT,DE&limit=3', 'b')],
  [getPlan('country_code[ne]=DE&sort=number'), getPlan('country_code[ne]=FR&sort=number')],
  [getPlan('country_code[null]=true'), getPlan('country_code[null]=true', 'b')],
  [getPlan('valid_until[lt]=2026-03-01'), getPlan('valid_until[lt]=2027-01-01')],
  [getPlan('expiring=true&expiring_within=1'), getPlan('expiring=true&expiring_within=300')],
  [getPlan('validity=expired'), getPlan('validity=expired', 'a', '2027-08-01')],
  [getPlan('tags=red'), getPlan('tags=blue')],
  [getPlan('tags[all]=red,round'), getPlan('tags[all]=blue,flat')],
  [getPlan('id=x1,x2'), getPlan('id=x3,x4', 'b')],
  [getPlan('number=N7'), getPlan('number=N8')],
  [getPlan('country_code=DE&count=exact'), getPlan('country_code=FR&count=exact')],
]

t.test('an array is compared with up to 8 values one by one, and with more by hash', async (t) => {
  const getText = (count: number) =>
    compile(getPlan(`tags=${Array.from({ length: count }, (_, n) => `t${n}`).join()}`)).text
  const byHash = 'select from unnest(r.tags)'
  t.notMatch(getText(8), byHash)
  t.match(getText(9), byHash)
})

t.test('a prepared statement returns the rows of a compiled one, for all values', async (t) => {
  for (const [first, second] of [...bound, ...unbound]) {
    const shapes = createShapes(compile, () => 0)
    const kept = keep(first, shapes)
    const other = shapes.find(second) as NamedStatement
    t.equal(other.text, kept.text)
    t.same(lasting(await run(kept)), lasting(await run(compile(first))))
    t.same(lasting(await run(other)), lasting(await run(compile(second))))
    t.notSame(lasting(await run(kept)), lasting(await run(other)), 'the pair differs')
  }
})

t.test('a generic plan reads only the page, by an index, also next to many small customers', async (t) => {
  await addSmallCustomers()
  const generic = open(false)
  t.teardown(() => generic.destroy())
  await sql`set plan_cache_mode = force_generic_plan`.execute(generic)
  for (const [index, [plan]] of bound.entries()) {
    const { text, values } = keep(plan)
    await sql.raw(`prepare s${index} as ${text}`).execute(generic)
    const literals = values.map((value) => (typeof value === 'number' ? value : `'${value}'`)).join()
    const nodes = await explain(generic, sql.raw(`execute s${index}(${literals})`))
    const found = listScans(nodes).filter((node) => node['Relation Name'] === 'certificates')
    t.ok(found.length > 0)
    for (const node of found) {
      t.match(node['Node Type'], /Index/, JSON.stringify(node))
      t.ok(node['Actual Rows'] * node['Actual Loops'] <= plan.limit + 1 + ties, `${node['Actual Rows']} rows`)
    }
  }
})

t.test('does not prepare queries whose plan depends on values', (t) => {
  for (const [plan] of bound) t.match(keep(plan).name, /^page_[\da-f]{16}$/)
  for (const [plan] of unbound) t.equal(keep(plan).name, undefined)
  t.end()
})

t.test('compiles a statement each time if its text depends on values', (t) => {
  const shapes = createShapes(compile, () => 0)
  const long = Array.from({ length: 9 }, (_, n) => `x${n}`).join()
  for (const query of ['number[prefix]=N1', `id=${long}`]) {
    for (let i = 0; i < 10; i++) t.equal(shapes.find(getPlan(query)), undefined, query)
  }
  const valid = keep(getPlan('validity=valid'), shapes)
  t.not(keep(getPlan('validity=expired'), shapes).text, valid.text)
  t.not(
    keep(getPlan('country_code[null]=true'), shapes).text,
    keep(getPlan('country_code[null]=false'), shapes).text,
  )
  t.end()
})

t.test('the number and turnover of prepared statements of clients are bounded', (t) => {
  let now = 0
  const shapes = createShapes(compile, () => now)
  const count = (from: number) => {
    const kept = new Set<number>()
    for (let limit = from; limit < from + 150; limit++) {
      for (let i = 0; i < 4; i++) if (shapes.find(getPlan(`limit=${limit}`))) kept.add(limit)
    }
    return kept.size
  }
  t.equal(shapes.find(getPlan('limit=1')), undefined, 'not what is asked once')
  t.equal(count(1), 101, 'the first hundred, and one in place of another')
  t.equal(count(200), 0, 'no more for now')
  now += 10_000
  t.equal(count(200), 1, 'one more each ten seconds')
  t.end()
})

t.test('the last two hundred prepared texts are available', (t) => {
  let compiled = 0
  const counting = (plan: QueryPlan) => {
    compiled += 1
    return compile(plan)
  }
  const shapes = createShapes(counting, () => 0)
  const askAll = (from: number, to: number) => {
    for (let limit = from; limit <= to; limit++) {
      for (let i = 0; i < 4; i++) shapes.find(getPlan(`country_code=DE&limit=${limit}`))
    }
  }
  askAll(1, 250)
  t.equal(compiled, 250)
  askAll(51, 250)
  t.equal(compiled, 250)
  askAll(1, 1)
  t.equal(compiled, 251)
  t.end()
})

t.test('connections keep named statements prepared, unless configured otherwise', async (t) => {
  const names = async (on: QueuedDb) =>
    (await sql<{ name: string }>`select name from pg_prepared_statements order by name`.execute(on)).rows.map(
      ({ name }) => name,
    )
  const kept = keep(getPlan('limit=9'))
  const [fresh, pooled] = [open(true), open(false)]
  t.teardown(() => Promise.all([fresh.destroy(), pooled.destroy()]))
  for (const each of [fresh, pooled]) for (let i = 0; i < 3; i++) await run(kept, each)
  t.match(await names(fresh), [/^page_[\da-f]{16}$/])
  t.same(await names(pooled), [])
})
