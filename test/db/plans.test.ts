import { sql } from 'kysely'
import pg from 'pg'
import t from 'tap'
import { compile } from '../../app/db/statement-cache.ts'
import { parsePairs } from '../../app/http/pairs.ts'
import { parseQuery } from '../../app/records/query/parse.ts'
import { planQuery, type QueryPlan } from '../../app/records/query/plan.ts'
import type { ResourceName } from '../../app/records/resources/define.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { createShapes } from '../../app/records/sql/shapes.ts'
import { pageStatement } from '../../app/records/sql/statement.ts'
import { dropIndexes } from '../../bench/lib/indexes.ts'
import { createTestDatabase } from '../helper.ts'
import { countLookUps, explain, listPlanFaults, rowsRead } from './explain.ts'
import { listSelective, rare, toInsert } from './typical-rows.ts'

/** The cost rule of the contract, section 3, tested with EXPLAIN in the serving role. */
const large = 'large'
const largeRows = 20_000
const smallCustomers = 100
const smallRows = 100
const today = '2026-11-21'
/** From here on, the certificates have the word "late" and a number that begins with N-1, or N-20000. */
const firstLate = 10_000
/** Ids that a list may have, so that the records are looked up by them. */
const longestList = 5_000
/** Rows that a page of 50 may read, with ties and index look-ups of a few conditions. */
const pageBound = 400

const database = await createTestDatabase()
t.teardown(() => database.close())

/** The rows of these two have values for the questions below. Other resources have the rows that their definition describes. */
const seed = `
insert into customers (customer_id, name, plan)
select '${large}', 'Large', 'premium' union all
select 'small-' || i, 'Small', 'premium' from generate_series(1, ${smallCustomers}) i;

create temp table seeds as
select c.customer_id, i, case when c.customer_id = '${large}' then ${largeRows} else ${smallRows} end as n
from customers c, generate_series(1, ${largeRows}) i
where i <= case when c.customer_id = '${large}' then ${largeRows} else ${smallRows} end;

insert into certificates (customer_id, id, number, title, product_id, project_id, approval_id, country_code,
  authority, scheme, certificate_type, approval_status, valid_from, valid_until, issued_on, standards, tags, holder)
select customer_id, 'c' || i, 'N-' || i, 'Title ' || i,
  case when i % 5 > 0 then 'p' || i / 4 end, case when i % 3 = 0 then 'r' || i / 4 end,
  case when i % 4 = 0 then 'r' || i end, chr(65 + i % 26) || chr(65 + i / 26 % 26),
  'FCC', 'FCC ID', 'type_approval',
  case when i % 500 = 0 then 'suspended' when i % 700 = 0 then 'pending' else 'approved' end,
  case when i % 900 = 0 then date '2027-01-01' else date '2016-01-01' + i % 3900 end,
  case when i % 11 > 0 then date '2018-01-01' + i % 3650 end, case when i % 7 > 0 then date '2016-01-01' + i % 3900 end,
  array['EN ' || i % 3000], array['common', 't' || i % 3000], case when i >= ${firstLate} then 'Late' end
from seeds;

insert into products (customer_id, id, name, part_numbers, model, brand, product_status, category, technologies,
  parent_product_id, tags)
select customer_id, 'p' || i, 'Name ' || i, array['PN' || i], case when i % 3 > 0 then 'M' || i end, 'B', 'active',
  'Cat', array['wifi'], case when i % 10 = 0 then 'p' || i / 10 end, array['common', 't' || i % 3000]
from seeds;`

const unlogged = (table: string) => `alter table ${table} disable trigger ${table}_log_insert`

/** As if loaded over years: else all would share one instant, and every page would be one of ties. */
const spread = (table: string) => `
alter table ${table} disable trigger user;
update ${table} set created_at = timestamptz '2020-01-01' + (substr(id, 2)::int * 37 % ${largeRows}) * interval '2 hours',
  updated_at = timestamptz '2021-01-01' + (substr(id, 2)::int * 41 % ${largeRows}) * interval '2 hours';
alter table ${table} enable trigger user;`

const recordTables = resourceNames.filter((name) => !resources[name].reference)
const typicalTables = recordTables.filter((name) => name !== 'certificates' && name !== 'products')

/** Rows are loaded without indexes, which is far faster. */
const seedDatabase = async () => {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(`set timezone = 'UTC'`)
  const tables = [...recordTables, 'elements', 'record_words']
  const indexes = await dropIndexes(client, tables)
  for (const table of recordTables) await client.query(unlogged(table))
  await client.query(seed)
  for (const table of typicalTables) await client.query(toInsert(resources[table]))
  for (const table of recordTables) await client.query(spread(table))
  for (const index of indexes) await client.query(index)
  for (const table of tables) await client.query(`vacuum analyze ${table}`)
  await client.end()
}

const getPlan = (name: ResourceName, query: string, after?: string[]): QueryPlan => {
  const outcome = parseQuery(resources[name], 'page', parsePairs(query))
  if ('faults' in outcome) throw new Error(`${name}?${query}: ${JSON.stringify(outcome.faults)}`)
  return planQuery(outcome.query, { customerId: large, today }, after)
}

/** The most rows that share one value of a sort key, usually null. */
const largestTie = async (name: ResourceName, key: string): Promise<number> => {
  const column = sql.ref(resources[name].fields.get(key)?.sortColumn ?? key)
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(name)}
    where customer_id = ${large} group by ${column} order by 1 desc limit 1`.execute(database.operator)
  return rows[0]?.n ?? 0
}

const usedIndexes = new Set<string>()

/** Notes the indexes of the plan. */
const faultsIn: typeof listPlanFaults = (label, nodes, bound) => {
  for (const node of nodes) if (node['Index Name']) usedIndexes.add(node['Index Name'])
  return listPlanFaults(label, nodes, bound)
}

const judge = async (name: ResourceName, query: string, bound: number | undefined, after?: string[]) =>
  faultsIn(
    `${name}?${query}${after ? ` after ${after}` : ''}`,
    await explain(database.reader, pageStatement(getPlan(name, query, after))),
    bound,
  )

/** Selective filters, each with a value of few rows. */
const selective: Record<string, string[]> = {
  certificates: [
    'id=c777',
    'id=c777,c778,c779',
    'number=N-777',
    'number[prefix]=N-777',
    'product_id=p777',
    'project_id=r777',
    'approval_id=r776',
    'country_code=QZ',
    'validity=not_yet_valid',
    'validity=void',
    'tags=t777',
    'standards=EN 777',
    'valid_from=2020-01-17',
    'valid_until=2020-01-17',
    'issued_on=2020-01-17',
    'valid_from[gte]=2026-09-01&valid_from[lt]=2026-09-05',
    'valid_until[gt]=today&valid_until[lte]=today+7d',
    'issued_on[gte]=2026-08-20',
    'created_at[lt]=2020-01-03',
    'updated_at[gte]=2025-07-20',
    'expiring=true&expiring_within=5',
  ],
  products: [
    'id=p777',
    'name=Name 777',
    'name[prefix]=Name 777',
    'part_numbers=PN777',
    'model=M778',
    'model[prefix]=M778',
    'parent_product_id=p777',
    'tags=t777',
    'created_at[lt]=2020-01-03',
    'updated_at[gte]=2025-07-20',
  ],
}
for (const name of typicalTables) selective[name] = listSelective(resources[name])

type Row = { id: string; number: string; holder: string | null; tags: string[]; approval_status: string }

const listTags = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`).join()

/** Conditions on many fields, of which almost every record meets each. */
const thirty = [
  'number[prefix]=N-&country_code[nin]=XX,YY&authority[nin]=Q&scheme[nin]=Q&certificate_type[nin]=other',
  'approval_status[nin]=withdrawn&validity[nin]=void&valid_from[gte]=2000-01-01&valid_from[lte]=2099-01-01',
  'valid_until[gte]=2000-01-01&valid_until[lte]=2099-01-01&issued_on[gte]=2000-01-01&issued_on[lte]=2099-01-01',
  'tags[nin]=x,y&standards[nin]=x,y&updated_at[gte]=2000-01-01&updated_at[lte]=2099-01-01',
  'created_at[gte]=2000-01-01&created_at[lte]=2099-01-01&id[nin]=x&tags[all]=common&valid_from[gt]=1999-01-01',
  'valid_until[gt]=1999-01-01&tags=common,q&tags[in]=common,r&authority=FCC&country_code[null]=false&count=exact',
].join('&')

/** The worst questions that were found. Other customers and indexes cannot answer them by few rows. */
const costly = [
  `${thirty}&q=title`,
  `${thirty}&expiring=true`,
  'q=title&authority=FCC&validity=valid&tags=common&count=exact',
  'q=title&authority=Nobody&tags=common&count=exact',
  'q=late&sort=-number&count=exact&tags=common',
  'tags[nin]=common&count=exact',
  `tags[nin]=common,${listTags(199)}&count=exact`,
  `tags=common,${listTags(199)}&count=exact&authority=Nobody`,
  `tags[all]=${listTags(200)}&count=exact`,
  'tags[all]=common&standards[nin]=x&authority=Nobody&count=exact',
  `id[nin]=${listTags(200)}&count=exact`,
  'authority=Nobody&scheme=Nothing&sort=valid_until,-valid_from,number&count=exact',
  'valid_from[gte]=2000-01-01&valid_until[gte]=2000-01-01&issued_on[gte]=2000-01-01&sort=-number&count=exact',
]
/** Of a page and its total: short lists of ids, and the words of rows in the order of the sort. */
const mostLookUps = 13_000

t.test('the cost rule', async (t) => {
  await seedDatabase()

  await t.test('an index serves every sort key: any page reads only its rows and their ties', async (t) => {
    const faults: string[] = []
    for (const name of recordTables) {
      for (const key of resources[name].sorts) {
        const ties = await largestTie(name, key)
        const other = key === 'updated_at' ? 'created_at' : 'updated_at'
        for (const sort of [key, `-${key}`, `${key},-${other}`, `-${key},${other}`]) {
          const first = getPlan(name, `sort=${sort}`)
          const bound = sort.includes(',') ? pageBound + ties : pageBound
          faults.push(...(await judge(name, `sort=${sort}`, bound)))
          const { rows } = await pageStatement({ ...first, limit: 500 }).execute(database.reader)
          const deep = rows[0]?.last?.[0]
          if (deep) faults.push(...(await judge(name, `sort=${sort}`, bound, deep)))
        }
      }
    }
    t.same(faults, [])
  })

  await t.test('an index serves each selective filter with the default sort', async (t) => {
    const faults: string[] = []
    for (const name of recordTables) {
      for (const query of selective[name] ?? []) faults.push(...(await judge(name, query, pageBound)))
    }
    const bound = pageBound + longestList
    faults.push(...(await judge('certificates', 'tags[all]=common,t777', bound)))
    faults.push(...(await judge('certificates', 'tags=common', bound)))
    faults.push(...(await judge('certificates', 'q=title&tags=t777', pageBound)))
    t.same(faults, [])
  })

  await t.test('every other filter reads at most the rows of the customer', async (t) => {
    const faults: string[] = []
    for (const name of recordTables) {
      for (const field of resources[name].fields.values()) {
        if (!field.filter) continue
        const value =
          field.kind === 'boolean'
            ? 'true'
            : field.kind === 'date' || field.kind === 'instant'
              ? '2020-01-17'
              : undefined
        const wanted =
          value ??
          field.values?.[0] ??
          (field.name.endsWith('country_code') || field.name === 'country_codes' ? 'QZ' : 'x')
        for (const operator of field.array ? ['', '[nin]', '[all]'] : ['', '[nin]']) {
          const query = `${field.name}${operator}=${wanted}`
          faults.push(...(await judge(name, query, 6 * largeRows)))
        }
      }
    }
    t.same(faults, [])
  })

  await t.test('a search reads only its matches, by the index of words', async (t) => {
    const faults: string[] = []
    for (const [name, query] of [
      ['certificates', 'q=777 title'],
      ['certificates', 'q=777&validity=valid&sort=number'],
      ['certificates', 'q=nobody'],
      ['products', 'q=pn777 name'],
      ...typicalTables.map((each) => [each, `q=${rare.row}`]),
    ] as [ResourceName, string][]) {
      faults.push(...(await judge(name, query, pageBound)))
      faults.push(...(await judge(name, `${query}&count=exact`, pageBound)))
    }
    t.same(faults, [])
    const place = `certificates/${large}/`
    const found = sql`select w.id from record_words w where w.words @@ ${`'${place}777':*`}::tsquery`
    const nodes = await explain(database.operator, found)
    t.match(nodes.at(-1), { 'Index Name': 'record_words_words' }, 'the statement of find_by_words')
    t.ok(rowsRead(nodes) < 2 * 25, `${rowsRead(nodes)} rows for 12 matches`)
  })

  await t.test(
    'a search for frequent words reads the rows of the page, in the order of the sort',
    async (t) => {
      const faults: string[] = []
      for (const query of ['q=title', 'q=title&sort=number', 'q=tit&validity=valid']) {
        faults.push(...(await judge('certificates', query, pageBound)))
      }
      t.same(faults, [])
    },
  )

  await t.test(
    'no question of the grammar looks records up one by one, or reads them more than a few times',
    async (t) => {
      const faults: string[] = []
      for (const query of costly) {
        const nodes = await explain(database.reader, pageStatement(getPlan('certificates', query)))
        faults.push(...faultsIn(query.slice(0, 100), nodes, 5 * largeRows))
        const lookUps = countLookUps(nodes)
        if (lookUps > mostLookUps) faults.push(`${query.slice(0, 100)}: ${lookUps} look-ups`)
      }
      t.same(faults, [])
    },
  )

  await t.test('every way to find words returns the same records', async (t) => {
    const { rows } = await sql<Row>`select id, number, holder, tags, approval_status from certificates
      where customer_id = ${large} order by number desc, id desc`.execute(database.operator)
    const late = (row: Row) => row.holder === 'Late'
    const cases: [query: string, isWanted: (row: Row) => boolean][] = [
      ['q=title', () => true],
      ['q=late', late],
      ['q=late title', late],
      ['q=late&approval_status=suspended', (row) => late(row) && row.approval_status === 'suspended'],
      ['q=late&tags=common,x', late],
      [
        'q=late&tags=t777,t778',
        (row) => late(row) && (row.tags.includes('t777') || row.tags.includes('t778')),
      ],
      ['q=title&tags[all]=common,t777', (row) => row.tags.includes('t777')],
      ['q=199', (row) => row.number.startsWith('N-199')],
      ['q=nobody', () => false],
      ['tags[all]=common,t777', (row) => row.tags.includes('t777')],
      ['tags[nin]=t777,x', (row) => !row.tags.includes('t777')],
      [
        `tags[nin]=${listTags(9)}`,
        (row) =>
          !listTags(9)
            .split(',')
            .some((tag) => row.tags.includes(tag)),
      ],
      [
        `tags=${listTags(9)}`,
        (row) =>
          listTags(9)
            .split(',')
            .some((tag) => row.tags.includes(tag)),
      ],
    ]
    for (const [query, isWanted] of cases) {
      const wanted = rows.filter(isWanted)
      const plan = getPlan('certificates', `${query}&sort=-number&count=exact&fields=id`)
      const page = (await pageStatement(plan).execute(database.reader)).rows[0]
      const found = JSON.parse(page?.data ?? '') as { id: string }[]
      t.same(
        found.map(({ id }) => id),
        wanted.slice(0, 50).map(({ id }) => id),
        query,
      )
      t.same([page?.total, page?.is_cut], [wanted.length, false], `${query}: total`)
      const after = page?.last?.[0]
      if (!after) continue
      const next = (await pageStatement({ ...plan, after, count: false }).execute(database.reader)).rows[0]
      const nextIds = (JSON.parse(next?.data ?? '') as { id: string }[]).map(({ id }) => id)
      t.same(
        nextIds,
        wanted.slice(50, 100).map(({ id }) => id),
        `${query}: next page`,
      )
    }
  })

  await t.test('PostgreSQL plans a prepared page five times, whatever its values are', async (t) => {
    const cases: [query: string, after?: string[]][] = [
      ['sort=updated_at&updated_at[gte]=2050-01-01'],
      ['sort=-valid_until,number', ['2018-01-02', 'N-1', 'c1']],
      ['sort=number', ['N-99', 'c99']],
    ]
    const shapes = createShapes(
      (plan) => compile(pageStatement(plan)),
      () => 0,
    )
    for (const [query, after] of cases) {
      const plan = getPlan('certificates', query, after)
      for (let i = 0; i < 3; i++) shapes.find(plan)
      const { text = '', values = [] } = shapes.find(plan) ?? {}
      const literals = values.map((value) => `'${value}'`).join()
      const rows = await database.reader.connection().execute(async (db) => {
        await sql.raw(`prepare planned as ${text}`).execute(db)
        for (let i = 0; i < 12; i++) await sql.raw(`execute planned(${literals})`).execute(db)
        const plans = await sql<{ custom_plans: number }>`select custom_plans from pg_prepared_statements
          where name = 'planned'`.execute(db)
        await sql.raw('deallocate planned').execute(db)
        return plans.rows
      })
      t.same(rows, [{ custom_plans: 5 }], query)
    }
  })

  await t.test("includes and a country's approvals are index look-ups", async (t) => {
    const faults = [
      ...(await judge('certificates', 'include=product,project', 600)),
      ...(await judge('lab', 'include=product,certificate', 600)),
      ...(await judge('approvals', 'include=product,certificate', 600)),
    ]
    t.same(faults, [])
  })

  await t.test('every index of a record table is used', async (t) => {
    const { rows } = await sql<{ indexname: string }>`
      select indexname from pg_indexes where schemaname = 'public' and tablename = any(${[...recordTables, 'elements']})`.execute(
      database.operator,
    )
    t.same(
      rows.map((row) => row.indexname).filter((name) => !usedIndexes.has(name)),
      [],
    )
  })
})
