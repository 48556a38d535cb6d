import pg from 'pg'
import { createProgress, type Progress, say } from '../lib/progress.ts'
import { prepareSchema } from '../lib/seed.ts'
import { copyIn } from './copy-in.ts'
import { buildIndexes, dropIndexes } from './indexes.ts'
import { createTables, getInstant, type Table } from './records.ts'
import { type Batch, type Holder, listBatches, listHolders, type Size } from './sizes.ts'

const recordTables = ['certificates', 'products', 'approvals'] as const
const tables = [...recordTables, 'elements', 'record_words']

/** Records of a customer per transaction. */
const batchRows = 100
const rowsOfChunk = 500
const customersOfStatement = 1_000

/** Measured on two cores with 5 m certificates, including their products, approvals and elements. */
const bytesOfCertificate = 1_400
const certificatesPerSecond = 25_000

export const estimate = (sizes: readonly Size[]): { bytes: number; seconds: number } => {
  const certificates = sizes.reduce((sum, size) => sum + size.certificates, 0)
  return { bytes: certificates * bytesOfCertificate, seconds: certificates / certificatesPerSecond }
}

/** Replaces the database in a URL. */
export const databaseUrl = (url: string, name: string): string =>
  url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`)

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

const seedCustomers = async (client: pg.Client, holders: readonly Holder[]): Promise<void> => {
  for (let from = 0; from < holders.length; from += customersOfStatement) {
    const names = holders.slice(from, from + customersOfStatement).map(({ customerId }) => customerId)
    await client.query(
      `insert into customers (customer_id, name, plan) select c, c, 'enterprise' from unnest($1::text[]) c`,
      [names],
    )
  }
}

function* writeChunks(table: Table, batches: readonly Batch[], startMs: number, progress: Progress) {
  let lines: string[] = []
  let done = 0
  for (const batch of batches) {
    const at = getInstant(batch, startMs)
    for (let n = batch.from; n <= batch.to; n++) lines.push(table.row(n, batch, at))
    if (lines.length < rowsOfChunk) continue
    done += lines.length
    yield `${lines.join('\n')}\n`
    lines = []
    progress.at(done)
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`
}

const copyTables = async (
  client: pg.Client,
  name: string,
  holders: readonly Holder[],
  of: readonly (typeof recordTables)[number][],
): Promise<void> => {
  const todayMs = Date.parse(new Date().toISOString().slice(0, 10))
  const written = createTables(todayMs)
  for (const key of of) {
    const table = written[key]
    const batches = listBatches(holders, key, batchRows)
    const total = holders.reduce((sum, holder) => sum + holder[key], 0)
    const progress = createProgress(`${name}: ${total} ${key}`, total)
    const text = `copy ${key} (${table.columns.join(', ')}) from stdin`
    const copied = await copyIn(client, text, writeChunks(table, batches, todayMs, progress))
    progress.end()
    if (copied !== total) throw new Error(`${copied} of ${total} ${key} were copied`)
  }
}

/** Inserts the elements as the triggers would. The order of rows does not matter. */
const fillElements = `
  insert into elements (customer_id, resource, field, value, id)
  select customer_id, 'certificates', 'standards', v, id from certificates, unnest(standards) v union all
  select customer_id, 'certificates', 'tags', v, id from certificates, unnest(tags) v union all
  select customer_id, 'products', 'part_numbers', v, id from products, unnest(part_numbers) v union all
  select customer_id, 'products', 'tags', v, id from products, unnest(tags) v union all
  select customer_id, 'approvals', 'tags', v, id from approvals, unnest(tags) v`

/** Inserts the words of all rows, with the SQL of the triggers' own functions. */
const fillWords = async (client: pg.Client): Promise<void> => {
  for (const table of recordTables) {
    const { rows } = await client.query('select prosrc as body from pg_proc where proname = $1', [
      `${table}_words_insert`,
    ])
    const [, insert = ''] = /^begin(.*;)\s*return null;/s.exec((rows[0].body as string).trim()) ?? []
    await client.query(insert.replace('from new_rows r', `from ${table} r`))
  }
}

/** Counts rows that differ from the triggers' results. */
const misderived = `
  select (select count(*) from certificates where valid_from_sort <> coalesce(valid_from, 'infinity')
      or valid_until_sort <> coalesce(valid_until, 'infinity') or issued_on_sort <> coalesce(issued_on, 'infinity'))
    + (select count(*) from products where model_sort <> coalesce('v' || model, 'w'))
    + (select count(*) from approvals where requested_on_sort <> coalesce(requested_on, 'infinity')
      or expected_on_sort <> coalesce(expected_on, 'infinity')) as count`

const fill = async (client: pg.Client, size: Size): Promise<void> => {
  const holders = listHolders(size)
  await seedCustomers(client, holders)
  await client.query('begin')
  // COPY writes no write-ahead log if the same transaction truncated the table (wal_level = minimal).
  for (const table of recordTables) await client.query(`alter table ${table} disable trigger user`)
  await client.query(`truncate ${tables.join(', ')}`)
  const dropped = await dropIndexes(client, tables)
  await copyTables(client, size.name, holders, recordTables)
  say(`${size.name}: elements of arrays`)
  await client.query(fillElements)
  say(`${size.name}: words`)
  await fillWords(client)
  await buildIndexes(client, dropped, size.name)
  const { rows } = await client.query(misderived)
  if (rows[0].count !== '0') throw new Error(`${rows[0].count} rows differ from the results of the triggers`)
  await enableTriggers(client)
  await client.query('commit')
  say(`${size.name}: vacuum, analyze`)
  await client.query('vacuum (freeze, analyze)')
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

/**
 * Creates a database with customers and their certificates only, without keys and indexes, which makes
 * changes several times faster. Triggers are on. Resolves with the URL.
 */
export const seedBare = async (serverUrl: string, name: string, size: Size): Promise<string> => {
  const url = databaseUrl(serverUrl, name)
  const admin = await connect(serverUrl)
  await admin.query(`create database ${name}`).finally(() => admin.end())
  await prepareSchema(url)
  const client = await connect(url)
  try {
    const holders = listHolders(size)
    await seedCustomers(client, holders)
    await dropIndexes(client, ['certificates'])
    await client.query('begin')
    await client.query('alter table certificates disable trigger user')
    await client.query('truncate certificates')
    await copyTables(client, size.name, holders, ['certificates'])
    await enableTriggers(client)
    await client.query('commit')
  } finally {
    await client.end()
  }
  return url
}

/**
 * Creates a database of this size and resolves with its URL. It resembles a database after `migrate`, years
 * of imports and a pruned change log. COPY writes the rows without triggers and indexes, which are recreated
 * afterwards. An existing database keeps its rows.
 */
export const seedSize = async (serverUrl: string, size: Size): Promise<string> => {
  const name = `growth_${size.name}_${size.customers}`
  const admin = await connect(serverUrl)
  const url = databaseUrl(serverUrl, name)
  try {
    const { rows } = await admin.query(
      `select shobj_description(oid, 'pg_database') as comment from pg_database where datname = $1`,
      [name],
    )
    if (rows[0]?.comment === 'seeded') {
      // From an earlier run: there may be new migrations.
      await prepareSchema(url)
      return url
    }
    await admin.query(`drop database if exists ${name}`)
    await admin.query(`create database ${name}`)
    await prepareSchema(url)
    const client = await connect(url)
    await client.query(`set maintenance_work_mem = '1GB'`)
    await fill(client, size).finally(() => client.end())
    await admin.query(`comment on database ${name} is 'seeded'`)
    return url
  } finally {
    await admin.end()
  }
}
