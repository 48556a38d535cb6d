import { sql } from 'kysely'
import type { KnownTable } from '../../db/customer-tables.ts'
import type { Db } from '../../db/schema.ts'
import { readLines } from '../../import/lines.ts'
import { type ExportEnd, type ExportHead, exportFormat } from './export.ts'
import type { KnownTables } from './tables.ts'

type Row = Record<string, unknown>
type Entry = { table: string; row: Row; line: number }

/** The file cannot be imported. The message names the line. */
export class UnusableExport extends Error {}

export type ImportedCustomer = {
  customer: string
  /** Numbers of imported rows by table. */
  rows: Record<string, number>
  /** Sentences that name the data that did not move, with the next step. */
  leftBehind: string[]
}

/** A record may be larger than an imported line, because other systems write with SQL. */
const mostLineBytes = 64 * 2 ** 20
const batchRows = 500
const uniqueViolation = '23505'

async function* readEntries(source: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  for await (const { number, text, fault } of readLines(source, mostLineBytes)) {
    if (fault !== undefined) throw new UnusableExport(`line ${number}: ${fault}`)
    let entry: Partial<Entry>
    try {
      entry = JSON.parse(text)
    } catch {
      throw new UnusableExport(`line ${number}: not JSON`)
    }
    const { table, row } = entry
    if (typeof table !== 'string' || typeof row !== 'object' || row === null) {
      throw new UnusableExport(
        `line ${number}: no object with "table" and "row": is it an export of a customer?`,
      )
    }
    yield { table, row, line: number }
  }
}

const requireHead = ({ table, row }: Entry): ExportHead => {
  if (table !== 'export')
    throw new UnusableExport('line 1: the table is not "export": the file has no beginning')
  const head = row as ExportHead
  if (head.format !== exportFormat) {
    throw new UnusableExport(`the file has the format ${head.format}, and this release reads ${exportFormat}`)
  }
  return head
}

/** Returns the columns to be written. Throws for a column that this release does not know. */
const chooseColumns = ({ table, row, line }: Entry, known: KnownTable | undefined): string[] => {
  const columns = [...(known?.exported ?? []), ...(known?.proofs ?? [])]
  const unknown = Object.keys(row).find((name) => !columns.includes(name))
  if (unknown !== undefined) {
    throw new UnusableExport(
      `line ${line}: this release has no column ${unknown} in ${table}: is the file of a newer one?`,
    )
  }
  return columns.filter((name) => name in row)
}

const insertRows = async (trx: Db, table: string, columns: readonly string[], rows: readonly Row[]) => {
  const target = sql.join(columns.map((column) => sql.ref(column)))
  const { numAffectedRows } = await sql`
    insert into ${sql.table(table)} (${target})
    select ${target} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json) x
    ${table === 'custom_grants' ? sql`where x.name in (select e.name from custom_endpoints e)` : sql``}`.execute(
    trx,
  )
  return Number(numAffectedRows ?? 0)
}

/** History waits here, because each record's positions are assigned together. */
const waitingHistory = 'imported_history'

const createWaitingHistory = (trx: Db) =>
  sql`create temp table ${sql.table(waitingHistory)} on commit drop
    as select customer_id, resource, record_id, position, at, since, old from record_history limit 0`.execute(
    trx,
  )

/** Numbers the changes again, because positions order the changes of the whole database. See 03-history.sql. */
const placeHistory = (trx: Db) =>
  sql`insert into record_history (customer_id, resource, record_id, position, at, since, old)
    select customer_id, resource, record_id, case when position % 2 = 1 then fresh when position = 0 then 0
      else coalesce(lag(fresh) over earlier + 1, 0) end, at, since, old
    from (
      select h.*, case when h.position % 2 = 1 then nextval('record_history_position_seq') end as fresh
      from (select * from ${sql.table(waitingHistory)} order by resource, record_id, position) h
    ) numbered
    window earlier as (partition by resource, record_id order by position)`.execute(trx)

const beginHistory = (trx: Db, { customer, history_from }: ExportHead) =>
  sql`insert into history_begun (customer_id, resource, since)
    select ${customer}, b.resource, (${JSON.stringify(history_from)}::jsonb ->> b.resource)::timestamptz
    from history_begun b
    where b.customer_id = '*' and b.resource <> 'countries' and ${JSON.stringify(history_from)}::jsonb ? b.resource`.execute(
    trx,
  )

const createImporter = (trx: Db, head: ExportHead, knownTables: KnownTables) => {
  const read: Record<string, number> = {}
  const rows: Record<string, number> = {}
  let batch: Entry[] = []

  const write = async (): Promise<void> => {
    const [first] = batch
    if (first === undefined) return
    const { table } = first
    const written = batch
    batch = []
    const known = knownTables.get(table)
    // Without its proof, a row cannot be imported.
    const proof = known?.proofs?.[0]
    const isWithoutProof = proof !== undefined && !(proof in first.row)
    // The audit trail belongs to the chain of the other database.
    if (table === 'audit' || known?.staysBehind || isWithoutProof) return
    const imported = known?.imported
    const columns = chooseColumns(first, known)
      .filter((name) => name !== 'audit_ref')
      .filter((name) => imported?.columns.includes(name) ?? true)
    const names = [...columns, ...Object.keys(imported?.values ?? {})]
    const target = table === 'record_history' ? waitingHistory : table
    const changed = written.map(({ row }) => ({ ...row, ...imported?.values }))
    try {
      rows[table] = (rows[table] ?? 0) + (await insertRows(trx, target, names, changed))
    } catch (cause) {
      if (table === 'customers' && (cause as { code?: string }).code === uniqueViolation) {
        throw new UnusableExport(`this database has a customer ${head.customer}: erase it first`, { cause })
      }
      const { line } = written.at(-1) as Entry
      const reason = (cause as Error).message
      throw new UnusableExport(`${table}, lines ${first.line} to ${line}: ${reason}`, { cause })
    }
  }
  const add = async (entry: Entry): Promise<void> => {
    const { table, row, line } = entry
    if (table !== 'audit' && !knownTables.has(table)) {
      throw new UnusableExport(
        `line ${line}: this release has no table ${table}: is the file of a newer one?`,
      )
    }
    const owner = table === 'audit' ? row.customer : row.customer_id
    if (owner !== head.customer) throw new UnusableExport(`line ${line}: a row of another customer`)
    if (batch[0] !== undefined && batch[0].table !== table) await write()
    read[table] = (read[table] ?? 0) + 1
    batch.push(entry)
    if (batch.length === batchRows) await write()
  }
  const end = async ({ rows: expected }: ExportEnd): Promise<void> => {
    await write()
    const lacking = Object.entries(expected).find(([table, count]) => (read[table] ?? 0) !== count)
    if (lacking) {
      throw new UnusableExport(
        `the file has ${read[lacking[0]] ?? 0} rows of ${lacking[0]} instead of ${lacking[1]}`,
      )
    }
    await placeHistory(trx)
    await beginHistory(trx, head)
  }
  return { add, end, read, rows }
}

const plural = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`

type Counts = Readonly<Record<string, number>>

const describeLeft = (
  { customer, with_keys }: ExportHead,
  { read, rows }: Readonly<{ read: Counts; rows: Counts }>,
  knownTables: KnownTables,
): string[] => {
  const count = (table: string) => read[table] ?? 0
  const left: string[] = []
  const keys = count('api_keys') + count('key_links')
  if (!with_keys && keys > 0) {
    left.push(
      `${plural(keys, 'key or link to a key', 'keys and links to keys')}: issue new ones with certdata keys issue ${customer}, or export again with --with-keys`,
    )
  }
  const grants = count('custom_grants') - (rows.custom_grants ?? 0)
  if (grants > 0) {
    left.push(
      `${plural(grants, 'grant')} of custom endpoints that this database lacks: run certdata custom apply, then certdata custom grant`,
    )
  }
  for (const [table, { imported }] of knownTables)
    if (imported && count(table) > 0)
      left.push(`${plural(count(table), imported.leftBehind.noun)} ${imported.leftBehind.nextStep}`)
  if (count('audit') > 0) {
    left.push(
      `${plural(count('audit'), 'audit entry', 'audit entries')}: they belong to the chain of the other database. Keep this file`,
    )
  }
  left.push('sync tokens: followers of the change feed get 410 once and read everything again')
  return left
}

/**
 * Imports the export of a customer that this database does not have: settings, records with their times and history,
 * and keys if the file has them. `trx` is a transaction of the operator's role, which the caller rolls back if this
 * rejects. Rejects with UnusableExport if the file is incomplete, or if this database refuses its rows.
 */
export const importCustomer = async (
  trx: Db,
  source: AsyncIterable<Uint8Array>,
  knownTables: KnownTables,
): Promise<ImportedCustomer> => {
  await sql`select set_config('app.keeps_times', 'on', true)`.execute(trx)
  await createWaitingHistory(trx)
  let head: ExportHead | undefined
  let importer: ReturnType<typeof createImporter> | undefined
  let isComplete = false
  for await (const entry of readEntries(source)) {
    if (isComplete) throw new UnusableExport(`line ${entry.line}: after the end of the export`)
    if (head === undefined || importer === undefined) {
      head = requireHead(entry)
      importer = createImporter(trx, head, knownTables)
    } else if (entry.table === 'end') {
      await importer.end(entry.row as ExportEnd)
      isComplete = true
    } else {
      await importer.add(entry)
    }
  }
  if (head === undefined || importer === undefined) throw new UnusableExport('the file is empty')
  if (!isComplete) throw new UnusableExport('the last line is missing: the file was cut')
  const { read, rows } = importer
  return { customer: head.customer, rows, leftBehind: describeLeft(head, { read, rows }, knownTables) }
}
