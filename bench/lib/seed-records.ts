import type pg from 'pg'
import { buildIndexes, dropIndexes } from './indexes.ts'
import { say } from './progress.ts'

const recordTables = ['certificates', 'products', 'approvals'] as const
const tables = [...recordTables, 'elements', 'record_words']

/** `records`: certificates. Products are a tenth. */
export type Holder = { customerId: string; records: number }

export type RecordsOptions = {
  /** One approval for this number of certificates. */
  certificatesOfApproval: number
  /** SQL: the time of the last change of a certificate, from `customer_id`, `n`, `i` and `at` of `seeds`. */
  changedAt?: string
}

const countries = `(array['DE', 'DE', 'DE', 'DE', 'US', 'JP', 'BR', 'CN', 'KR', 'IN', 'AU', 'CA'])[1 + i % 12]`

/**
 * Record number `i` of `n` of each customer, for the rest of the session. Customers' records lie mixed, as imports
 * leave them. A hundred share an instant.
 */
const createSeeds = (changedAt: string) => `
  create temp table seeds as
    select *, ${changedAt} as changed_at from (
      select customer_id, n, i::integer, now() - interval '5 years' * (1 - ceil(i / 100.0) * 100 / (n + 100)) as at
      from unnest($1::text[], $2::integer[]) c (customer_id, n) cross join lateral generate_series(1, n) i
    ) s order by ceil(i / 100.0) / n, customer_id, i`

/**
 * Words in titles: "radio" is in all, "tenth" in a tenth, and "even", "odd", "left" and "right" each in half of the
 * titles. "early" is in the oldest tenth, "singular" in one, and "even" is never next to "odd".
 */
const title = `concat_ws(' ', 'Radio module', i, case i % 2 when 0 then 'even' else 'odd' end,
  case i / 2 % 2 when 0 then 'left' else 'right' end, case when i % 10 = 0 then 'tenth' end,
  case when i <= n / 10 then 'early' end, case when i = n / 2 then 'singular' end)`

const getFills = ({
  certificatesOfApproval: each,
}: RecordsOptions): Readonly<Record<(typeof recordTables)[number], string>> => ({
  certificates: `
    insert into certificates (customer_id, id, number, title, product_id, approval_id, country_code, authority, scheme,
      certificate_type, approval_status, valid_from, valid_from_sort, valid_until, valid_until_sort, issued_on,
      issued_on_sort, holder, standards, tags, created_at, updated_at, created_xid)
    select customer_id, 'c' || i, 'N-' || lpad(i::text, 8, '0'), ${title}, 'p' || 1 + i / 10,
      case when i % ${each} = 0 then 'a' || i / ${each} end, ${countries}, 'BNetzA',
      (array['FCC ID', 'CE RED', 'Common Criteria'])[1 + i % 3], 'type_approval',
      (array['approved', 'approved', 'approved', 'approved', 'conditional', 'pending', 'revoked'])[1 + i % 7],
      date '2016-01-01' + i % 3900 * 1013 % 3900, date '2016-01-01' + i % 3900 * 1013 % 3900,
      case when i % 11 > 0 then date '2020-01-01' + i % 3650 * 1009 % 3650 end,
      case when i % 11 > 0 then date '2020-01-01' + i % 3650 * 1009 % 3650 else 'infinity' end,
      date '2016-01-01' + i % 3900 * 1013 % 3900, date '2016-01-01' + i % 3900 * 1013 % 3900,
      'Acme Wireless GmbH', array['EN ' || i % 300], array['common', 't' || i % 3000], at, changed_at,
      pg_current_xact_id()
    from seeds`,
  products: `
    insert into products (customer_id, id, name, part_numbers, model, model_sort, brand, manufacturer, product_status,
      category, tags, created_at, updated_at, created_xid)
    select customer_id, 'p' || i, 'Radio module ' || i, array['PN' || i], 'M' || i, 'vM' || i, 'Acme',
      'Acme Wireless GmbH', 'active', 'Module', array['common', 't' || i % 3000], at, at, pg_current_xact_id()
    from seeds where i <= n / 10 + 1`,
  approvals: `
    insert into approvals (customer_id, id, product_id, country_code, scheme, certificate_id, status, requested_on,
      requested_on_sort, expected_on, expected_on_sort, tags, created_at, updated_at, created_xid)
    select customer_id, 'a' || i, 'p' || 1 + i / 5, ${countries}, 'Radio', 'c' || i * ${each},
      (array['granted', 'granted', 'in_review', 'testing', 'planned'])[1 + i % 5],
      date '2016-01-01' + i % 3900 * 1013 % 3900, date '2016-01-01' + i % 3900 * 1013 % 3900,
      date '2020-01-01' + i % 3650 * 1009 % 3650, date '2020-01-01' + i % 3650 * 1009 % 3650, array['common', 't' || i % 3000],
      at, at, pg_current_xact_id()
    from seeds where i <= n / ${each}`,
})

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

/** Every trigger of the record tables is ENABLE ALWAYS. */
const enableTriggers = async (client: pg.Client): Promise<void> => {
  const { rows } = await client.query(
    `select tgrelid::regclass::text as table, tgname as name from pg_trigger
     where not tgisinternal and tgenabled = 'D' and tgrelid = any ($1::regclass[])`,
    [tables],
  )
  for (const { table, name } of rows) await client.query(`alter table ${table} enable always trigger ${name}`)
}

/** Counts rows whose sort columns differ from those that the triggers write. */
const misderived = `
  select (select count(*) from certificates where valid_from_sort <> coalesce(valid_from, 'infinity')
      or valid_until_sort <> coalesce(valid_until, 'infinity') or issued_on_sort <> coalesce(issued_on, 'infinity'))
    + (select count(*) from products where model_sort <> coalesce('v' || model, 'w'))
    + (select count(*) from approvals where requested_on_sort <> coalesce(requested_on, 'infinity')
      or expected_on_sort <> coalesce(expected_on, 'infinity')) as count`

/**
 * Replaces the records of a database by those of new customers with the plan enterprise. Triggers and indexes are off in
 * the meantime. PostgreSQL writes no write-ahead log for tables that the same transaction truncated, with `wal_level =
 * minimal`. Leaves the temporary table `seeds`. `label` is for the progress.
 */
export const seedRecords = async (
  client: pg.Client,
  label: string,
  holders: readonly Holder[],
  options: RecordsOptions,
): Promise<void> => {
  const names = holders.map(({ customerId }) => customerId)
  await client.query(`set maintenance_work_mem = '1GB'; set work_mem = '256MB'; set timezone = 'UTC'`)
  await client.query(
    `insert into customers (customer_id, name, plan) select c, c, 'enterprise' from unnest($1::text[]) c`,
    [names],
  )
  await client.query('begin')
  for (const table of recordTables) await client.query(`alter table ${table} disable trigger user`)
  await client.query(`truncate ${tables.join(', ')}`)
  const dropped = await dropIndexes(client, tables)
  await client.query(createSeeds(options.changedAt ?? 'at'), [names, holders.map(({ records }) => records)])
  await client.query('analyze seeds')
  const fills = getFills(options)
  for (const table of recordTables) {
    say(`${label}: ${table}`)
    await client.query(fills[table])
  }
  say(`${label}: elements`)
  await client.query(fillElements)
  say(`${label}: words`)
  await fillWords(client)
  await buildIndexes(client, dropped, label)
  const { rows } = await client.query(misderived)
  if (rows[0].count !== '0') throw new Error(`${rows[0].count} rows differ from the results of the triggers`)
  await enableTriggers(client)
  await client.query('commit')
}
