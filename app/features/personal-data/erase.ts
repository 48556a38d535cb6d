import { sql } from 'kysely'
import { holdOffPruning } from '../../audit/prune.ts'
import { collectReads } from '../../audit/reads.ts'
import { erasure } from '../../audit/record.ts'
import { formatEpoch, parseSnapshot } from '../../cache/snapshot.ts'
import type { Stamped } from '../../cache/stamped.ts'
import type { Db } from '../../db/schema.ts'
import { listCustomerTables } from './tables.ts'

type Erased = {
  rows: Record<string, number>
  auditEntries: number
  /** Ids of the deleted keys. Redis may hold data under these names. */
  keyIds: string[]
}

/** The database as it is after the erasure. */
export type ShownErasure = Pick<Stamped, 'epoch' | 'snapshot'>

/** Triggers may write new rows of the customer during the deletion. */
const maxPasses = 5

const listKeyIds = async (trx: Db, customer: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select key_id as id from api_keys where customer_id = ${customer}`.execute(trx)
  return rows.map(({ id }) => id)
}

const listPseudonyms = async (trx: Db, customer: string): Promise<string[]> => {
  const { rows } = await sql<{ ref: string }>`
    select audit_ref::text as ref from customers where customer_id = ${customer}
    union
    select e.customer_ref::text from audit_persons p join audit_entries e on e.entry_id = p.entry_id
    where p.customer = ${customer} and e.customer_ref is not null`.execute(trx)
  return rows.map(({ ref }) => ref)
}

const deleteRows = async (trx: Db, customer: string): Promise<void> => {
  const tables = await listCustomerTables(trx)
  for (let pass = 1; pass <= maxPasses; pass++) {
    let deleted = 0
    for (const { name } of tables) {
      const { numAffectedRows } = await sql`
        delete from ${sql.table(`public.${name}`)} where customer_id = ${customer}`.execute(trx)
      deleted += Number(numAffectedRows)
    }
    if (deleted === 0) return
  }
  throw new Error(`rows of the customer were written again ${maxPasses} times: a trigger writes them`)
}

/** Counts the audit entries whose personal part an erasure would delete. */
export const countPersons = async (db: Db, customer: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from audit_persons where customer = ${customer}`.execute(db)
  return rows[0]?.n ?? 0
}

const erasePersons = async (trx: Db, customer: string): Promise<number> => {
  const { numAffectedRows } = await sql`delete from audit_persons where customer = ${customer}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** Writes an entry for each pseudonym: the verification accepts missing personal parts only with one. */
const recordErasure = async (trx: Db, refs: readonly string[], details: object): Promise<void> => {
  const { rows } = await sql<{ operator: string | null }>`select audit_operator() as operator`.execute(trx)
  const entries = refs.map((customer_ref) => ({
    actor: 'operator',
    customer_ref,
    action: erasure,
    outcome: 'ok',
    personal: { customer: null, operator: rows[0]?.operator ?? null, details },
  }))
  await sql`select write_audit_entries(${JSON.stringify(entries)}::json)`.execute(trx)
}

/**
 * Erases a customer in one transaction: the rows of every table with a customer column, and the personal
 * parts of audit entries, whose chain still verifies. Returns `undefined` if there is no data. `db` is the
 * owner's. If `eraseElsewhere`, which runs before the commit, rejects, nothing is erased.
 */
export const eraseCustomer = (
  db: Db,
  customer: string,
  eraseElsewhere?: (keyIds: readonly string[]) => Promise<void>,
): Promise<Erased | undefined> =>
  db.transaction().execute(async (trx) => {
    await holdOffPruning(trx)
    // The lock waits for transactions in progress, so that the next statements see their entries.
    await sql`select from customers where customer_id = ${customer} for update`.execute(trx)
    // Turns counted reads into entries, whose personal parts are then erased, too.
    await collectReads(trx, 'all')
    const keyIds = await listKeyIds(trx, customer)
    const refs = await listPseudonyms(trx, customer)
    // Count before deleting: triggers delete rows of other tables, too.
    const rows = await countCustomerRows(trx, customer)
    await deleteRows(trx, customer)
    const auditEntries = await erasePersons(trx, customer)
    const total = Object.values(rows).reduce((sum, count) => sum + count, auditEntries)
    if (total === 0) return undefined
    // The customer's own rows of the log are deleted, too. This row marks everything as changed.
    await sql`insert into change_log (customer_id, resource, record_id) values ('*', '*', '*')`.execute(trx)
    await recordErasure(trx, refs, { rows, audit_entries: auditEntries })
    await eraseElsewhere?.(keyIds)
    return { rows, auditEntries, keyIds }
  })

/** Reads the database's present snapshot. Call it after the commit of an erasure. `db` is the owner's. */
export const readAfterErasure = async (db: Db): Promise<ShownErasure> => {
  const { rows } = await sql<{ snapshot: string; identity: string; started: string }>`
    select snapshot, identity, started from poll_changes(null, 0)`.execute(db)
  const [row] = rows
  if (!row) throw new Error('poll_changes returned no row')
  return { epoch: formatEpoch(row.identity, row.started), snapshot: parseSnapshot(row.snapshot) }
}

/** Counts the rows of a customer by table. */
export const countCustomerRows = async (db: Db, customer: string): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { name } of await listCustomerTables(db)) {
    const { rows } = await sql<{ n: number }>`
      select count(*) as n from ${sql.table(`public.${name}`)} where customer_id = ${customer}`.execute(db)
    counts[name] = rows[0]?.n ?? 0
  }
  return counts
}
