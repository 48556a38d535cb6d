import pg from 'pg'
import { buildIndexes, dropIndexes } from '../growth/indexes.ts'
import { databaseUrl } from '../growth/seed.ts'
import { say } from '../lib/progress.ts'
import { prepareSchema } from '../lib/seed.ts'

/** Certificates of each measured customer. They also have approvals, half the number, and products, a tenth. */
export const holders = { hundred: 100_000, million: 1_000_000 } as const

export type HolderName = keyof typeof holders

const otherCustomers = 50
const otherCertificates = 2_000

const recordTables = ['certificates', 'products', 'approvals'] as const
const tables = [...recordTables, 'elements', 'record_words']

const countries = `(array['DE', 'DE', 'DE', 'DE', 'US', 'JP', 'BR', 'CN', 'KR', 'IN', 'AU', 'CA'])[1 + i % 12]`

/** Customers' records lie mixed, as imports leave them. A hundred share an instant. */
const createSeeds = `
  insert into customers (customer_id, name, plan)
    select 'other-' || i, 'Other', 'premium' from generate_series(1, ${otherCustomers}) i
    union all select name, name, 'enterprise' from unnest(array['${Object.keys(holders).join(`', '`)}']) name;
  create temp table seeds as
    select customer_id, n, i::integer, now() - interval '5 years' * (1 - ceil(i / 100.0) * 100 / (n + 100)) as at
    from (
      select customer_id, case customer_id
        ${Object.entries(holders)
          .map(([name, n]) => `when '${name}' then ${n}`)
          .join(' ')} else ${otherCertificates} end as n
      from customers
    ) c cross join lateral generate_series(1, n) i
    order by ceil(i / 100.0) / n, customer_id, i;
  analyze seeds;`

/**
 * Words in titles: "radio" is in all, "tenth" in a tenth, and "even", "odd", "left" and "right" each in half of the
 * titles. "early" is in the oldest tenth, "singular" in one, and "even" is never next to "odd".
 */
const title = `concat_ws(' ', 'Radio module', i, case i % 2 when 0 then 'even' else 'odd' end,
  case i / 2 % 2 when 0 then 'left' else 'right' end, case when i % 10 = 0 then 'tenth' end,
  case when i <= n / 10 then 'early' end, case when i = n / 2 then 'singular' end)`

const fills: Readonly<Record<(typeof recordTables)[number], string>> = {
  certificates: `
    insert into certificates (customer_id, id, number, title, product_id, approval_id, country_code, authority, scheme,
      certificate_type, approval_status, valid_from, valid_from_sort, valid_until, valid_until_sort, issued_on,
      issued_on_sort, holder, standards, tags, created_at, updated_at)
    select customer_id, 'c' || i, 'N-' || lpad(i::text, 8, '0'), ${title}, 'p' || 1 + i / 10,
      case when i % 2 = 0 then 'a' || i / 2 end, ${countries}, 'BNetzA',
      (array['FCC ID', 'CE RED', 'Common Criteria'])[1 + i % 3], 'type_approval',
      (array['approved', 'approved', 'approved', 'approved', 'conditional', 'pending', 'revoked'])[1 + i % 7],
      date '2016-01-01' + i % 3900 * 1013 % 3900, date '2016-01-01' + i % 3900 * 1013 % 3900,
      case when i % 11 > 0 then date '2020-01-01' + i % 3650 * 1009 % 3650 end,
      case when i % 11 > 0 then date '2020-01-01' + i % 3650 * 1009 % 3650 else 'infinity' end,
      date '2016-01-01' + i % 3900 * 1013 % 3900, date '2016-01-01' + i % 3900 * 1013 % 3900,
      'Acme Wireless GmbH', array['EN ' || i % 300], array['common', 't' || i % 3000], at, at
    from seeds`,
  products: `
    insert into products (customer_id, id, name, part_numbers, model, model_sort, brand, manufacturer, product_status,
      category, tags, created_at, updated_at)
    select customer_id, 'p' || i, 'Radio module ' || i, array['PN' || i], 'M' || i, 'vM' || i, 'Acme',
      'Acme Wireless GmbH', 'active', 'Module', array['common', 't' || i % 3000], at, at
    from seeds where i <= n / 10 + 1`,
  approvals: `
    insert into approvals (customer_id, id, product_id, country_code, scheme, certificate_id, status, requested_on,
      requested_on_sort, expected_on, expected_on_sort, tags, created_at, updated_at)
    select customer_id, 'a' || i, 'p' || 1 + i / 5, ${countries}, 'Radio', 'c' || i * 2,
      (array['granted', 'granted', 'in_review', 'testing', 'planned'])[1 + i % 5],
      date '2016-01-01' + i % 3900 * 1013 % 3900, date '2016-01-01' + i % 3900 * 1013 % 3900,
      date '2020-01-01' + i % 3650 * 1009 % 3650, date '2020-01-01' + i % 3650 * 1009 % 3650, array['common', 't' || i % 3000],
      at, at
    from seeds where i <= n / 2`,
}

/** As the triggers would. */
const fillElements = `
  insert into elements (customer_id, resource, field, value, id)
  select customer_id, 'certificates', 'standards', v, id from certificates, unnest(standards) v union all
  select customer_id, 'certificates', 'tags', v, id from certificates, unnest(tags) v union all
  select customer_id, 'products', 'part_numbers', v, id from products, unnest(part_numbers) v union all
  select customer_id, 'products', 'tags', v, id from products, unnest(tags) v union all
  select customer_id, 'approvals', 'tags', v, id from approvals, unnest(tags) v`

/** With the SQL of the triggers' own functions. */
const fillWords = async (client: pg.Client): Promise<void> => {
  for (const table of recordTables) {
    const { rows } = await client.query('select prosrc as body from pg_proc where proname = $1', [
      `${table}_words_insert`,
    ])
    const [, insert = ''] = /^begin(.*;)\s*return null;/s.exec((rows[0].body as string).trim()) ?? []
    await client.query(insert.replace('from new_rows r', `from ${table} r`))
  }
}

/** Fills a new database with the customers' records. Resolves with its URL. */
export const seedQuestions = async (serverUrl: string): Promise<string> => {
  const admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  const known = await admin.query(`select from pg_database where datname = 'questions'`)
  const url = databaseUrl(serverUrl, 'questions')
  if (known.rowCount === 0) {
    await admin.query('create database questions')
    await prepareSchema(url)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`set maintenance_work_mem = '1GB'; set work_mem = '256MB'; set timezone = 'UTC'`)
    await client.query('begin')
    for (const table of recordTables) await client.query(`alter table ${table} disable trigger user`)
    await client.query(`truncate ${tables.join(', ')}`)
    const dropped = await dropIndexes(client, tables)
    await client.query(createSeeds)
    for (const table of recordTables) {
      say(`writing ${table}`)
      await client.query(fills[table])
    }
    say('writing elements')
    await client.query(fillElements)
    say('writing words')
    await fillWords(client)
    await buildIndexes(client, dropped, 'questions')
    await client.query('commit')
    say('vacuum, analyze')
    await client.query('vacuum (analyze)')
    await client.end()
  }
  await admin.end()
  return url
}
