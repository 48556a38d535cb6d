import pg from 'pg'
import { dropIndexes } from '../lib/indexes.ts'
import { databaseUrl } from '../lib/postgres.ts'
import { say } from '../lib/progress.ts'
import { prepareSchema } from '../lib/seed.ts'
import { seedRecords } from '../lib/seed-records.ts'
import { type Cell, listHolders, measuredCustomer } from './cells.ts'

/** In the change log. Each changed ten certificates of a customer, and some of other customers. */
const transactions = 100_000
/** In a database with a million certificates, and fewer in proportion. */
const mostKeys = 20_000
const mostRecords = 1_000_000
const certificatesOfApproval = 10
/** The first transaction of the log after the last change of the measured customer. */
export const middleTransaction = (first: number): number => first + transactions / 2
const emptyDatabase = 'growth_empty'

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

/**
 * SQL: when a certificate changed, from 0 to 1, ten of a customer together. Changes of the measured customer end in the
 * middle, so that a token from there has nothing new.
 */
const changedShare = `((ceil(i / 10.0) * 7919 % ceil(n / 10.0)) / ceil(n / 10.0)
  + case customer_id when '${measuredCustomer}' then 0 else (hashtext(customer_id) & 65535) / 65536.0 end) % 1
  * case customer_id when '${measuredCustomer}' then 0.5 else 1 end`
const changedAt = `greatest(at, now() - interval '30 days' * (1 - ${changedShare}))`

/** One row of each for every certificate. `$1`: the first transaction of the log. */
const fillLog = `
  insert into change_log (customer_id, xid, resource, record_id, changed_at)
  select customer_id, ($1::bigint + floor(${changedShare} * ${transactions}))::text::xid8, 'certificates', 'c' || i, changed_at
  from seeds order by 2, customer_id, i`
const fillHistory = `
  insert into record_history (customer_id, resource, record_id, at, since, old, xid)
  select customer_id, 'certificates', 'c' || i, changed_at, at, '{"approval_status": "suspended"}',
    ($1::bigint + floor(${changedShare} * ${transactions}))::text::xid8
  from seeds order by 7, customer_id, i`

const fillKeys = `
  insert into api_keys (customer_id, key_id, secret_sha256)
  select ($2::text[])[1 + i % cardinality($2)], left(md5(i::text), 16), sha256(i::text::bytea)
  from generate_series(1, $1::integer) i`

/** Uses up transaction numbers for the log. Resolves with the first. */
const takeTransactions = async (client: pg.Client): Promise<number> => {
  const { rows } = await client.query('select pg_current_xact_id()::text as first')
  await client.query(`do $$ begin
    for n in 1..${transactions} loop perform pg_current_xact_id(); commit; end loop; end $$`)
  return Number(rows[0].first)
}

/** A copy of a database has another identity: without this, the service empties its log. */
const adopt = `update change_state set identity = change_identity(), pruned_below = ($1::bigint)::text::xid8`
const mark = `insert into change_marks (xid, marked_at) values (($1::bigint)::text::xid8, now() - interval '30 days')`
/** The log is as old as the records. */
const begin = `update history_begun set since = now() - interval '6 years'`

const fill = async (client: pg.Client, cell: Cell, first: number): Promise<void> => {
  const holders = listHolders(cell)
  await seedRecords(client, cell.label, holders, { certificatesOfApproval, changedAt })
  say(`${cell.label}: change log, history, keys`)
  const keys = Math.ceil((mostKeys * cell.records) / mostRecords)
  await client.query(fillKeys, [keys, holders.map(({ customerId }) => customerId)])
  await client.query('begin')
  await client.query('truncate change_log, record_history, change_marks')
  const dropped = await dropIndexes(client, ['change_log', 'record_history'])
  await client.query(fillLog, [first])
  await client.query(fillHistory, [first])
  for (const text of dropped) await client.query(text)
  await client.query(adopt, [first])
  await client.query(mark, [first])
  await client.query(begin)
  await client.query('commit')
  say(`${cell.label}: vacuum, analyze`)
  await client.query('vacuum (freeze, analyze)')
}

/**
 * Creates the missing databases, two at the same time, and resolves with the URLs of all. Each resembles a database
 * after years of imports and 30 days of changes: every certificate changed once in them.
 */
export const seedAll = async (serverUrl: string, cells: readonly Cell[]): Promise<string[]> => {
  const admin = await connect(serverUrl)
  const getName = ({ label }: Cell) => `growth_${label.replace('/', '_')}`
  const { rows } = await admin.query(
    `select datname as name from pg_database where shobj_description(oid, 'pg_database') = 'seeded'`,
  )
  const known = new Set(rows.map(({ name }) => name))
  // The largest first, so that both cores are busy to the end.
  const missing = cells.filter((cell) => !known.has(getName(cell))).sort((a, b) => b.records - a.records)
  if (missing.length > 0) {
    const first = await takeTransactions(admin)
    await admin.query(`drop database if exists ${emptyDatabase}`)
    await admin.query(`create database ${emptyDatabase}`)
    await prepareSchema(databaseUrl(serverUrl, emptyDatabase))
    for (const cell of missing) {
      await admin.query(`drop database if exists ${getName(cell)}`)
      await admin.query(`create database ${getName(cell)} template ${emptyDatabase}`)
    }
    const work = async () => {
      for (let cell = missing.shift(); cell; cell = missing.shift()) {
        const client = await connect(databaseUrl(serverUrl, getName(cell)))
        await fill(client, cell, first).finally(() => client.end())
        await admin.query(`comment on database ${getName(cell)} is 'seeded'`)
      }
    }
    await Promise.all([work(), work()])
  }
  await admin.end()
  return cells.map((cell) => databaseUrl(serverUrl, getName(cell)))
}
