import pg from 'pg'
import type { Test } from 'tap'
import { type ImportOptions, type ImportReport, importRecords } from '../../app/import/index.ts'
import { resourceNames, resources } from '../../app/records/resources/index.ts'
import { createTestDatabase, type TestDatabase } from '../helper.ts'

export type Line = Record<string, unknown>
export type Row = Record<string, unknown>

export const ownedResources = resourceNames.filter((name) => !resources[name].reference)

export type ImportDatabase = TestDatabase & {
  /** As superuser, so that no policy applies. */
  query<T extends Row>(text: string, values?: unknown[]): Promise<T[]>
  /** Imports lines: objects as JSON, and strings and bytes as they are. */
  take(lines: readonly (Line | string | Uint8Array)[], options?: ImportOptions): Promise<ImportReport>
  /** Returns all records of a resource by `customer id`. */
  read(resource: string): Promise<Map<string, Row>>
  /** Returns all rows with their versions: equal if nothing was written in between. */
  fingerprint(): Promise<Row[]>
}

const newline = Buffer.from('\n')
const toBytes = (line: Line | string | Uint8Array): Uint8Array => {
  if (line instanceof Uint8Array) return line
  return Buffer.from(typeof line === 'string' ? line : JSON.stringify(line))
}

export const getStream = (lines: readonly (Line | string | Uint8Array)[]): AsyncIterable<Uint8Array> =>
  ReadableStream.from(lines.flatMap((line) => [toBytes(line), newline]))

export const openDatabase = async (t: Test): Promise<ImportDatabase> => {
  const database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  t.teardown(async () => {
    await client.end()
    await database.close()
  })
  const query = async <T extends Row>(text: string, values: unknown[] = []) =>
    (await client.query<T>(text, values)).rows
  const read = async (resource: string) => {
    const rows = await query<{ record: Row }>(`select row_to_json(r) as record from ${resource} r`)
    return new Map(rows.map(({ record }) => [`${record.customer_id} ${record.id}`, record]))
  }
  const fingerprint = async () => {
    const tables = [...ownedResources, 'customers', 'countries', 'elements']
    // A lock changes `xmax`, and the audit trail can lock customers at any time.
    const xmax = (name: string) => (name === 'customers' ? "'0'" : 't.xmax::text')
    const parts = tables.map(
      (name) =>
        `select '${name}' as name, t.xmin::text, ${xmax(name)} as xmax, t.ctid::text, row_to_json(t)::text as row from ${name} t`,
    )
    return query(`${parts.join(' union all ')} order by 1, 4`)
  }
  const take = (lines: readonly (Line | string | Uint8Array)[], options?: ImportOptions) =>
    importRecords(database.operator, getStream(lines), options)
  return { ...database, query, take, read, fingerprint }
}

export const product = (id: string, more: Line = {}): Line => ({
  resource: 'products',
  customer: 'acme',
  id,
  name: `Product ${id}`,
  ...more,
})

export const certificate = (id: string, more: Line = {}): Line => ({
  resource: 'certificates',
  customer: 'acme',
  id,
  number: `N-${id}`,
  approval_status: 'approved',
  ...more,
})
