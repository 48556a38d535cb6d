import { CompiledQuery, sql, type Transaction } from 'kysely'
import type { Database, Db } from '../db/schema.ts'
import type { ResourceName } from '../records/resources/define.ts'
import { resources } from '../records/resources/index.ts'
import type { BadLine } from './line.ts'
import type { ChangesByCustomer } from './report.ts'
import { inImportTransaction, recordChanges } from './transaction.ts'

/**
 * Creates the temporary table for the keys in the file. `line` is the line that was written, and null after bad lines only.
 * `deleteMissing` deletes the other records. See docs/decisions/0290-the-last-line-of-a-record-counts.md.
 */
export const createSeen = async (db: Db): Promise<void> => {
  await sql`create temp table import_seen (
    resource text collate "C" not null, customer_id text collate "C" not null, id text collate "C" not null,
    created boolean not null, line integer, primary key (customer_id, resource, id))`.execute(db)
}

/** Stores the keys of bad lines, so that their records stay. `upsertStatement` stores the keys of others. */
export const rememberKeys = async (trx: Transaction<Database>, lines: readonly BadLine[]): Promise<void> => {
  const keys = lines.flatMap(({ key }) => (key && !resources[key.resource].reference ? [key] : []))
  if (keys.length === 0) return
  await sql`insert into import_seen (resource, customer_id, id, created)
    select resource, customer, id, false
    from json_to_recordset(${JSON.stringify(keys)}::json) as k (resource text, customer text, id text)
    on conflict do nothing`.execute(trx)
}

const customersOfFile = 'r.customer_id in (select customer_id from import_seen)'
const isSeen = (name: ResourceName) =>
  `s.resource = '${name}' and s.customer_id = r.customer_id and s.id = r.id`

const countStatement = (name: ResourceName) => `
select count(*) filter (where s.id is null)::integer as missing,
  count(*) filter (where s.created is not true)::integer as before
from public.${name} r left join import_seen s on ${isSeen(name)}
where ${customersOfFile}`

const deleteStatement = (name: ResourceName) => `
with gone as (
  delete from ${name} r
  where ${customersOfFile} and not exists (select from import_seen s where ${isSeen(name)})
  returning customer_id
)
select customer_id as customer, count(*)::integer as deleted from gone group by customer_id`

const countMissing = async (trx: Transaction<Database>, names: readonly ResourceName[]) => {
  const totals = { missing: 0, before: 0 }
  for (const name of names) {
    const { rows } = await trx.executeQuery<typeof totals>(CompiledQuery.raw(countStatement(name)))
    totals.missing += rows[0]?.missing ?? 0
    totals.before += rows[0]?.before ?? 0
  }
  return totals
}

const explainRefusal = (
  bad: number,
  { missing, before }: { missing: number; before: number },
): string | null => {
  if (missing === 0) return null
  const records = missing === 1 ? '1 record is' : `${missing} records are`
  if (bad > 0)
    return `nothing deleted: ${records} missing from the file, but it has ${bad === 1 ? 'a bad line' : `${bad} bad lines`}`
  if (missing * 2 > before) {
    return `nothing deleted: ${missing} of the ${before} records that its customers had would go, over half`
  }
  return null
}

/** A record that `replace` deletes. */
export type MissingRecord = { resource: ResourceName; customer: string; id: string }

const maxNamed = 10

const listMissing = async (trx: Transaction<Database>, names: readonly ResourceName[]) => {
  const missing: MissingRecord[] = []
  for (const name of names) {
    const { rows } = await trx.executeQuery<MissingRecord>(
      CompiledQuery.raw(`select '${name}' as resource, r.customer_id as customer, r.id from public.${name} r
        where ${customersOfFile} and not exists (select from import_seen s where ${isSeen(name)})
        order by r.customer_id, r.id limit ${maxNamed - missing.length}`),
    )
    missing.push(...rows)
  }
  return missing
}

type DeletedRow = { customer: string; deleted: number }

/** `missing`: the first ten, also if the deletion is refused. */
type Deletion = { deleted: number; refused: string | null; missing: MissingRecord[] }
type DeletionOptions = {
  resources: readonly ResourceName[]
  bad: number
  force: boolean
  dryRun: boolean
  isAudited: boolean
}

/**
 * Deletes the records of the file's customers that are not in the file, in one transaction; a dry run counts
 * them. Without `force`, deletes none and returns the reason if there are bad lines or over half are missing.
 * See docs/decisions/0140-a-table-replaces-its-resource.md.
 */
export const deleteMissing = async (db: Db, options: DeletionOptions): Promise<Deletion> => {
  const owned = options.resources.filter((name) => !resources[name].reference)
  await sql`analyze import_seen`.execute(db)
  return inImportTransaction(db, options.dryRun, async (trx) => {
    const counted = await countMissing(trx, owned)
    const missing = counted.missing === 0 ? [] : await listMissing(trx, owned)
    const refused = options.force ? null : explainRefusal(options.bad, counted)
    if (refused) return { deleted: 0, refused, missing }
    if (options.dryRun) return { deleted: counted.missing, refused, missing }
    const byCustomer: ChangesByCustomer = new Map()
    let total = 0
    for (const name of owned) {
      const { rows } = await trx.executeQuery<DeletedRow>(CompiledQuery.raw(deleteStatement(name)))
      for (const { customer, deleted } of rows) {
        byCustomer.set(customer, { deleted: (byCustomer.get(customer)?.deleted ?? 0) + deleted })
        total += deleted
      }
    }
    if (options.isAudited) await recordChanges(trx, byCustomer)
    return { deleted: total, refused, missing }
  })
}
