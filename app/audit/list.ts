import { sql } from 'kysely'
import { selectInstant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'

/** Instants are RFC 3339 in UTC with six decimals. */
export type AuditEntry = {
  entry: number
  at: string
  /** A key's id, or `operator`, `system`, `demo`, `anonymous`; `key` if the key was erased. */
  actor: string
  /** The name of the person at the command line. Null if unknown, or for another actor. */
  operator: string | null
  /** A slug. Null if the entry has no customer, or if it was erased. */
  customer: string | null
  /** A pseudonym, which remains after an erasure. */
  customer_ref: string | null
  action: string
  subject: string | null
  outcome: string
  request_id: string | null
  client: string | null
  details: Record<string, unknown> | null
  seal: number | null
}

/** `since`: an instant, inclusive. `before`: the number of an entry, exclusive. */
type AuditFilter = {
  action?: string | undefined
  customer?: string | undefined
  since?: string | undefined
  before?: number | undefined
  limit: number
}

/** Newest first. Index: `audit_persons_customer` for one customer, else the primary key. */
export const listEntries = async (
  db: Db,
  { action, customer, since, before, limit }: AuditFilter,
): Promise<AuditEntry[]> => {
  const conditions = [
    sql`true`,
    ...(action === undefined ? [] : [sql`e.action = ${action}`]),
    ...(customer === undefined ? [] : [sql`p.customer = ${customer}`]),
    ...(before === undefined ? [] : [sql`e.entry_id < ${before}`]),
    ...(since === undefined ? [] : [sql`e.at >= ${since}::timestamptz`]),
  ]
  const { rows } = await sql<AuditEntry>`
    select e.entry_id as entry, ${selectInstant('e.at')} as at,
      case e.actor when 'key' then coalesce(p.personal ->> 'key', e.actor) else e.actor end as actor,
      p.personal ->> 'operator' as operator, p.customer, e.customer_ref, e.action, p.personal ->> 'subject' as subject, e.outcome, e.request_id,
      p.personal ->> 'client' as client, p.personal -> 'details' as details, s.seal_no as seal
    from audit_entries e
    ${customer === undefined ? sql`left join` : sql`join`} audit_persons p on p.entry_id = e.entry_id
    left join audit_seals s on s.entry_id = e.entry_id
    where ${sql.join(conditions, sql` and `)}
    order by e.entry_id desc limit ${limit}`.execute(db)
  return rows
}
