import pg from 'pg'
import type { Rows } from '../lib/findings.ts'
import { createProgress, say } from '../lib/progress.ts'
import { databaseUrl, seedSize } from './seed.ts'

/** Rows of one transaction: as many as an import writes. */
const batchRows = 1_000
/** One record of a hundred is deleted in the end. */
const deletedShare = 100

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
    'GB for 5 million rows': ((5e6 * total) / 1e9).toFixed(2),
  }
}

/**
 * The size of history. In a database of its own that is dropped afterwards, every certificate changes its status once, in
 * any order, and some are deleted. Returns a row of the table for updates and one for deletions, which write two rows.
 */
export const measureHistory = async (serverUrl: string, certificates: number): Promise<Rows> => {
  const size = { name: 'history', certificates, customers: 10 }
  const url = await seedSize(serverUrl, size)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`create temp table shuffled as
      select customer_id, id, row_number() over (order by random())::integer as n from certificates`)
    await client.query('create index on shuffled (n); analyze shuffled')
    const { rows } = await client.query('select count(*)::integer as count from shuffled')
    const count = rows[0].count as number
    const update = `update certificates c set approval_status =
        case c.approval_status when 'suspended' then 'approved' else 'suspended' end
      from shuffled s where s.n > $1 and s.n <= $1 + ${batchRows} and c.customer_id = s.customer_id and c.id = s.id`
    const empty = await measure(client)
    const progress = createProgress(`history of ${count} updates`, count)
    for (let n = 0; n < count; n += batchRows) {
      await client.query(update, [n])
      progress.at(n)
    }
    progress.end()
    const updated = await measure(client)
    await client.query(
      `delete from certificates c using shuffled s
       where s.n % ${deletedShare} = 0 and c.customer_id = s.customer_id and c.id = s.id`,
    )
    return { updates: describe(empty, updated), deletions: describe(updated, await measure(client)) }
  } finally {
    await client.end()
    const admin = new pg.Client({ connectionString: databaseUrl(serverUrl, 'postgres') })
    await admin.connect()
    await admin.query(`drop database growth_${size.name}_${size.customers}`)
    await admin.end()
    say('history: measured, and its database dropped')
  }
}
