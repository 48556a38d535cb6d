import { CompiledQuery, sql } from 'kysely'
import { holdOffPruning } from '../../audit/prune.ts'
import { collectReads } from '../../audit/reads.ts'
import { erasure } from '../../audit/record.ts'
import type { Db } from '../../db/schema.ts'
import { listCustomerTables } from './tables.ts'

type Erased = {
  /** Rows that went, by table. */
  rows: Record<string, number>
  /** Audit entries that lost their personal part. */
  auditEntries: number
  /** Ids of the keys that went: names under which other stores may hold something. */
  keyIds: string[]
}

/** Triggers may write rows of the customer while others go. */
const maxPasses = 5

const listKeyIds = async (trx: Db, customer: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select key_id as id from api_keys where customer_id = ${customer}`.execute(trx)
  return rows.map(({ id }) => id)
}

/** The customer's names in the chain: of this one, and of earlier ones of the same slug. */
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
      const query = `delete from public."${name}" where customer_id = $1`
      const { numAffectedRows } = await trx.executeQuery(CompiledQuery.raw(query, [customer]))
      deleted += Number(numAffectedRows ?? 0)
    }
    if (deleted === 0) return
  }
  throw new Error(`rows of the customer came back ${maxPasses} times: a trigger keeps writing them`)
}

const erasePersons = async (trx: Db, customer: string): Promise<number> => {
  const { numAffectedRows } = await sql`delete from audit_persons where customer = ${customer}`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

/** One entry for each pseudonym: it is what lets the chain verify without the personal parts. */
const recordErasure = async (trx: Db, refs: readonly string[], details: object): Promise<void> => {
  const entries = refs.map((customer_ref) => ({
    actor: 'operator',
    customer_ref,
    action: erasure,
    outcome: 'ok',
    personal: { customer: null, details },
  }))
  await sql`select write_audit_entries(${JSON.stringify(entries)}::json)`.execute(trx)
}

/**
 * Erases a customer in one transaction and returns what it erased; undefined if nothing is known of the customer.
 * It deletes the rows of every table with customers, the keys and the customer. It clears the personal parts of
 * audit entries; their chain still verifies. It records the erasure without the customer's name. `db` is the
 * owner's.
 */
export const eraseCustomer = (db: Db, customer: string): Promise<Erased | undefined> =>
  db.transaction().execute(async (trx) => {
    await holdOffPruning(trx)
    // First, so that entries under way are there to be seen by the next statements.
    await sql`select from customers where customer_id = ${customer} for update`.execute(trx)
    // What they read lately becomes entries like the others, and loses its personal part with them.
    await collectReads(trx, 'all')
    const keyIds = await listKeyIds(trx, customer)
    const refs = await listPseudonyms(trx, customer)
    // Before: triggers take rows of one table along with those of another.
    const rows = await countCustomerRows(trx, customer)
    await deleteRows(trx, customer)
    const auditEntries = await erasePersons(trx, customer)
    const total = Object.values(rows).reduce((sum, count) => sum + count, auditEntries)
    if (total === 0) return undefined
    // The log's own rows of him are gone too: that anything may have changed is all that instances hear.
    await sql`insert into change_log (customer_id, resource, record_id) values ('*', '*', '*')`.execute(trx)
    await recordErasure(trx, refs, { rows, audit_entries: auditEntries })
    return { rows, auditEntries, keyIds }
  })

/** What an erasure would take, by table. As operator or owner. */
export const countCustomerRows = async (db: Db, customer: string): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { name } of await listCustomerTables(db)) {
    const query = `select count(*) as n from public."${name}" where customer_id = $1`
    const { rows } = await db.executeQuery<{ n: number }>(CompiledQuery.raw(query, [customer]))
    counts[name] = rows[0]?.n ?? 0
  }
  return counts
}
