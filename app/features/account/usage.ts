import { sql } from 'kysely'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import { selectInstant } from '../../db/instant.ts'
import type { Db } from '../../db/schema.ts'
import type { LiveAnswer } from '../../export/exports.ts'
import { getFormat } from '../../export/formats.ts'
import { jsonType, mediaTypes } from '../../http/formats.ts'
import type { QueryString } from '../../http/pairs.ts'
import { requireNoParameters } from '../../lists/no-parameters.ts'
import type { ExportColumn } from '../../records/sql/column.ts'
import { session } from '../../records/sql/session.ts'
import type { UsageBatch } from './usage-counts.ts'

/** Today included. */
const keptDays = 31
/** From the end of a write to the start of the next one. */
export const writeSeconds = 60

export const usageTypes: readonly string[] = [jsonType, mediaTypes.csv]

/**
 * Adds a batch in one transaction, unless its writer has added it or a later one. Ignores keys that no longer exist.
 * Rejects with the driver's errors: then the outcome is unknown, and the batch may be sent again.
 */
export const addUsage = async (db: Db, { writer, number, counts }: UsageBatch): Promise<void> => {
  await sql`select add_usage(${writer}::uuid, ${number}::bigint, ${JSON.stringify(counts)}::json)`.execute(db)
}

/** Deletes the days that are no longer shown. Rejects with the driver's errors. */
export const deleteOldUsage = async (db: Db): Promise<void> => {
  await sql`select delete_old_usage(${keptDays}::integer)`.execute(db)
}

/** Throws 400 for any parameter except a known format. */
export const requireUsageQuery = (rawQuery: QueryString): void =>
  requireNoParameters(
    rawQuery,
    'The only parameter of this address is format: json or csv',
    ({ name, value }) => name === 'format' && ['json', 'csv'].includes(value ?? ''),
  )

const note =
  'Each process of the service adds its counts once a minute. If a process is killed, its last minute is missing.'

const columns: readonly ExportColumn[] = [
  { name: 'day', kind: 'date', value: sql`u.day` },
  { name: 'endpoint', kind: 'text', value: sql`u.endpoint` },
  { name: 'requests', kind: 'integer', value: sql`u.requests` },
  { name: 'not_modified', kind: 'integer', value: sql`u.not_modified` },
  { name: 'refused', kind: 'integer', value: sql`u.refused` },
  { name: 'bytes', kind: 'integer', value: sql`u.bytes` },
]

type UsageRequest = Readonly<{ customerId: string; today: string; type: string }>

/** Reads the usage of a customer in its turn, as JSON or CSV. Rejects as `inTurn` does. Index: the primary key. */
export const readUsage = async (
  db: QueuedDb,
  { customerId, today, type }: UsageRequest,
): Promise<LiveAnswer> => {
  const { contentType, select } = getFormat(type === jsonType ? mediaTypes.ndjson : type)
  const from = sql`from usage_days u
    where u.customer_id = s.customer_id and u.day > ${today}::date - ${keptDays}::integer
    order by u.day desc, u.endpoint`
  const statement = sql<{ data_as_of: string; from: string; lines: string[] }>`
    select ${selectInstant('now()')} as data_as_of, (${today}::date - ${keptDays - 1}::integer)::text as from,
      array(${select(columns, from)})::text[] as lines
    from ${session(customerId, false)}`
  const { rows } = await inTurn(db, customerId, () => statement.execute(db))
  const { data_as_of: dataAsOf = '', from: first = '', lines = [] } = rows[0] ?? {}
  if (type === jsonType) {
    const counted = JSON.stringify({ from: first, until: today, write_seconds: writeSeconds, note })
    const body = Buffer.from(`{"data":[${lines.join()}],"counted":${counted}}`)
    return { type, body, headers: { 'data-as-of': dataAsOf } }
  }
  const head = columns.map(({ name }) => name).join()
  const headers = {
    'data-as-of': dataAsOf,
    'content-disposition': `attachment; filename="usage-${today}.csv"`,
  }
  return { type: contentType, body: Buffer.from(`${[head, ...lines].join('\r\n')}\r\n`), headers }
}
