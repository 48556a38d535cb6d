import { sql } from 'kysely'
import pg, { type PoolClient } from 'pg'
import Cursor from 'pg-cursor'
import { compile } from '../db/statement-cache.ts'
import type { ExportColumn, Sql } from '../records/sql/column.ts'

export type Cell = string | number | boolean | readonly (string | null)[] | null
export type Row = readonly Cell[]
export type RowBatches = AsyncIterable<readonly Row[]>

/** 160 kB a round trip, at the usual 800 bytes a row. */
const batchRows = 200

const asText = (value: string) => value
const { builtins } = pg.types
const textTypes = new Set<number>([
  builtins.DATE,
  builtins.TIMESTAMPTZ,
  builtins.JSON,
  builtins.JSONB,
  builtins.INT8,
])
const types = {
  getTypeParser: (oid: number, format?: string) =>
    textTypes.has(oid) ? asText : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

/** Returns a statement that selects a column for each cell. `from`: the statement after its select list. */
export const selectColumns = (columns: readonly ExportColumn[], from: Sql): Sql =>
  sql`select ${sql.join(columns.map(({ name, value }) => sql`${value} as ${sql.id(name)}`))} ${from}`

/** Reads the rows of the statements in sequence, in batches. Dates, instants, JSON and bigint are strings. */
export async function* readRows(client: PoolClient, statements: readonly Sql[]): RowBatches {
  for (const statement of statements) {
    const { text, values } = compile(statement)
    const cursor = client.query(new Cursor<Row>(text, values, { rowMode: 'array', types }))
    for (;;) {
      const rows = await cursor.read(batchRows)
      if (rows.length === 0) break
      yield rows
    }
  }
}
