import os from 'node:os'
import pg from 'pg'
import type { Rows } from '../lib/findings.ts'
import { createProgress, say } from '../lib/progress.ts'
import { measurePages } from './history-pages.ts'
import { databaseUrl, seedBare } from './seed.ts'
import { largeCustomer, oftenChanged, type Size } from './sizes.ts'

/** Rows per transaction, as in an import. */
const batchRows = 1_000
/** One record in 100 is deleted at the end. */
const deletedShare = 100
/** Changes of one record, each in a separate transaction. A change of another record lies between two of them. */
const oftenChanges = 10_000

type Measured = { rows: number; heap: number; indexes: number }

const measure = async (client: pg.Client): Promise<Measured> => {
  const { rows } =
    await client.query(`select count(*)::integer as rows, pg_table_size('record_history')::float8 as heap,
    pg_indexes_size('record_history')::float8 as indexes
    from record_history`)
  return rows[0]
}

const describe = (from: Measured, to: Measured): Rows[string] => {
  const rows = to.rows - from.rows
  const each = (name: 'heap' | 'indexes') => (to[name] - from[name]) / rows
  const total = each('heap') + each('indexes')
  return {
    rows,
    'bytes of a row': Math.round(each('heap')),
    'bytes in indexes': Math.round(each('indexes')),
    'bytes together': Math.round(total),
    'share of indexes': `${Math.round((100 * each('indexes')) / total)} %`,
    GB: ((rows * total) / 1e9).toFixed(2),
  }
}

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

/** By `ctid`, which stays valid because each row is changed only once. */
const update = `update certificates set approval_status =
    case approval_status when 'suspended' then 'approved' else 'suspended' end
  where ctid = any (array(select place from shuffled where n > $1 and n <= $1 + ${batchRows}))`

const deletion = `delete from certificates c using shuffled s
  where s.n % ${deletedShare} = 0 and s.id <> '${oftenChanged}' and c.customer_id = s.customer_id and c.id = s.id`

/** Changes the status of every certificate once, in random order, with one connection per core. */
const changeAll = async (url: string, name: string, count: number): Promise<void> => {
  const progress = createProgress(`${name}: history of ${count} updates`, count)
  let next = 0
  const work = async () => {
    const client = await connect(url)
    while (next < count) {
      const from = next
      next += batchRows
      await client.query(update, [from])
      progress.at(from)
    }
    await client.end()
  }
  await Promise.all(os.cpus().map(work))
  progress.end()
}

const changeOften = async (client: pg.Client): Promise<void> => {
  await client.query(`do $$ begin
    for n in 1..${oftenChanges} loop
      update certificates set title = 'Radio module, change ' || n where customer_id = '${largeCustomer}' and id = '${oftenChanged}';
      commit;
      update certificates set title = 'Radio module, change ' || n
        where customer_id = '${largeCustomer}' and id = 'crt-' || (1 + n * 7 % 1000);
      commit;
    end loop;
  end $$`)
}

/** Creates a history database. Returns bytes per update, and per deletion, which writes two history rows. */
const measureSize = async (url: string, { name }: Size): Promise<Rows> => {
  const client = await connect(url)
  try {
    await client.query(`set maintenance_work_mem = '1GB'; set work_mem = '1GB'`)
    await client.query(`create unlogged table shuffled as select customer_id, id, ctid as place,
      row_number() over (order by random())::integer as n from certificates`)
    await client.query('create index on shuffled (n); analyze shuffled')
    const { rows } = await client.query('select count(*)::integer as count from shuffled')
    const empty = await measure(client)
    await changeAll(url, name, rows[0].count)
    const updated = await measure(client)
    say(`${name}: deletions and indexes`)
    await client.query(deletion)
    const deleted = await measure(client)
    await client.query('alter table certificates add primary key (customer_id, id)')
    await client.query('create index on certificates (customer_id, created_at, id)')
    await changeOften(client)
    await client.query('drop table shuffled')
    await client.query('vacuum record_history')
    await client.query('analyze')
    return {
      [`${name}, updates`]: describe(empty, updated),
      [`${name}, deletions`]: describe(updated, deleted),
    }
  } finally {
    await client.end()
  }
}

export type HistoryFindings = { sizes: Rows; p50: Rows; p99: Rows; plans: Rows; faults: string[] }

/**
 * Measures the size of history and the time of its pages. In a database for each size, every certificate
 * changes its status once, some are deleted, and one changes 10,000 times. The databases are dropped
 * afterwards.
 */
export const measureHistory = async (
  serverUrl: string,
  sizes: readonly Size[],
  samples: number,
): Promise<HistoryFindings> => {
  const found: Rows = {}
  const subjects: { url: string; size: Size }[] = []
  try {
    for (const size of sizes) {
      const name = `history_${size.name}`
      subjects.push({ url: databaseUrl(serverUrl, name), size })
      const url = await seedBare(serverUrl, name, size)
      Object.assign(found, await measureSize(url, size))
    }
    return { sizes: found, ...(await measurePages(subjects, samples)) }
  } finally {
    const admin = await connect(databaseUrl(serverUrl, 'postgres'))
    for (const { size } of subjects)
      await admin.query(`drop database if exists history_${size.name} with (force)`)
    await admin.end()
  }
}
