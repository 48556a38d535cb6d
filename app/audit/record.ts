import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** What may be written down; new ones are added here. `reads` and `refusals` are counts, the others acts. */
export const auditActions = [
  'audit.list',
  'audit.prune',
  'audit.verify',
  'changes.prune',
  'custom.apply',
  'custom.grant',
  'custom.list',
  'custom.remove',
  'custom.revoke',
  'customers.add',
  'customers.erase',
  'customers.export',
  'customers.list',
  'customers.resume',
  'customers.set-plan',
  'customers.settings',
  'customers.show',
  'customers.suspend',
  'history.forget',
  'import',
  'keys.add-client',
  'keys.change-client',
  'keys.issue',
  'keys.list',
  'keys.networks',
  'keys.revoke',
  'keys.rotate',
  'login',
  'migrate',
  'reads',
  'refusals',
  'requests.approve',
  'requests.expire',
  'requests.list',
  'requests.reject',
  'signing-keys.list',
  'signing-keys.rotate',
  'tokens.revoke',
  'webhooks.add',
  'webhooks.disable',
  'webhooks.enable',
  'webhooks.list',
  'webhooks.remove',
  'webhooks.test',
] as const

/** The action whose entry allows the personal parts of its customer to be missing. */
export const erasure = 'customers.erase' satisfies AuditAction

export type AuditAction = (typeof auditActions)[number]

/**
 * Something that happened. Names of people and customers belong in `customer`, `keyId`, `subject`, `client` and
 * `details` only: an erasure clears these fields. An entry that names a person must therefore have `customer` or
 * `keyId`. It holds no secrets, and no values of records or queries.
 */
export type AuditEvent = {
  actor: 'key' | 'demo' | 'anonymous' | 'operator' | 'system'
  action: AuditAction
  /** Default `ok`. */
  outcome?: 'ok' | 'refused'
  /** The slug. Absent: the customer of `keyId`. One who does not exist any more is left out. */
  customer?: string | undefined
  keyId?: string | undefined
  /** What was acted on: a key's id, a custom endpoint's name. */
  subject?: string | undefined
  /** Leads to the log lines of the request. */
  requestId?: string | undefined
  /** Of `truncateAddress`. */
  client?: string | undefined
  details?: Readonly<Record<string, unknown>>
}

/** An event as the functions of the database take it. */
export const toRow = ({ outcome = 'ok', requestId, keyId, ...event }: AuditEvent) => ({
  ...event,
  outcome,
  request_id: requestId,
  key_id: keyId,
})

/** Writes entries as part of a statement: with its act, or neither. */
export const appendAudit = (events: readonly AuditEvent[]): RawBuilder<unknown> =>
  sql`append_audit(${JSON.stringify(events.map(toRow))}::json)`

/**
 * Writes entries, in the transaction of the act where `db` is one. Serving role, operator and owner may.
 * Throws the driver's errors: an act that cannot be written down does not happen.
 */
export const recordEvents = async (db: Db, events: readonly AuditEvent[]): Promise<void> => {
  if (events.length === 0) return
  await sql`select ${appendAudit(events)}`.execute(db)
}
