import { sql } from 'kysely'
import type { QueuedDb } from '../../app/db/connect.ts'
import type { ResourceName } from '../../app/records/resources/define.ts'
import { resources } from '../../app/records/resources/index.ts'

/** A text column of each resource. */
export const textColumns = Object.fromEntries(
  Object.values(resources).map(({ name, fields, search }) => [
    name,
    ['title', 'name', 'scheme', ...search].find((column) => fields.has(column)),
  ]),
) as Readonly<Record<ResourceName, string>>

/** No country has these codes. */
const isTestCountry = `~ '^Q[M-O]$'`

/** The rows that a test writes for this customer. */
export const listTestRows = (resource: ResourceName, customer: string): string =>
  resources[resource].reference ? `id ${isTestCountry}` : `customer_id = '${customer}'`

const isRecent = (column: string) => `${column} between now() - interval '1 hour' and now()`

/** Each select list leaves out times and numbers. */
const written = {
  change_log: { id: 'record_id', list: 'record_id' },
  record_history: {
    id: 'record_id',
    list: `record_id, old - 'created_at', position % 2, at >= since, ${isRecent(`(old ->> 'created_at')::timestamptz`)}`,
  },
  record_words: { id: 'id', list: 'id, words' },
  elements: { id: 'id', list: 'field, value, id' },
  removals: { id: undefined, list: isRecent('changed_at') },
} as const

/** Returns the test's records and the rows that triggers wrote for them, as sorted texts. */
export const readTraces = async (
  db: QueuedDb,
  customer: string,
  resource: ResourceName,
): Promise<Record<string, string[]>> => {
  const { reference } = resources[resource]
  const traces: Record<string, string[]> = {}
  const read = async (name: string, text: string) => {
    const { rows } = await sql.raw<{ row: string }>(text).execute(db)
    traces[name] = rows.map(({ row }) => row).sort()
  }
  for (const [table, { id, list }] of Object.entries(written)) {
    await read(
      table,
      `select jsonb_build_array(${list})::text as row from ${table}
       where resource = '${resource}' and customer_id = '${reference ? '*' : customer}'
       ${reference && id ? `and ${id} ${isTestCountry}` : ''}`,
    )
  }
  await read(
    resource,
    `select (to_jsonb(r) - array['created_at', 'updated_at', 'created_xid'])::text || (updated_at >= created_at) as row
     from ${resource} r where ${listTestRows(resource, customer)}`,
  )
  return traces
}
