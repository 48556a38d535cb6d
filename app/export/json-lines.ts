import { sql } from 'kysely'
import { mediaTypes } from '../http/formats.ts'
import type { Sql } from '../records/sql/column.ts'
import type { RowBatches } from './rows.ts'

export const linesType = mediaTypes.ndjson

/** Returns a statement that selects each row of `rows` as one JSON text. */
export const selectJson = (rows: Sql): Sql => sql`select row_to_json(x) from (${rows}) x`

/** Writes rows as lines of JSON. */
export async function* writeLines(batches: RowBatches): AsyncGenerator<string> {
  for await (const rows of batches) yield rows.map(([json]) => `${json}\n`).join('')
}
