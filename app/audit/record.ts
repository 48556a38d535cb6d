import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/schema.ts'

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
  'keys.pick-up',
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

/** After an entry with this action, the personal parts of its customer may be missing. */
export const erasure = 'customers.erase' satisfies AuditAction

export type AuditAction = (typeof auditActions)[number]

/**
 * An event to record. Names of people may be in `customer`, `keyId`, `subject`, `client` and `details` only,
 * which an erasure clears. So an entry that names a person must have `customer` or `keyId`. Must not contain
 * secrets or values of records or queries.
 */
export type AuditEvent = {
  actor: 'key' | 'demo' | 'anonymous' | 'operator' | 'system'
  action: AuditAction
  outcome?: 'ok' | 'refused'
  /** The slug. Optional. Defaults to the customer of `keyId`. Ignored if the customer no longer exists. */
  customer?: string | undefined
  keyId?: string | undefined
  subject?: string | undefined
  requestId?: string | undefined
  /** From `truncateAddress`. */
  client?: string | undefined
  details?: Readonly<Record<string, unknown>>
}

/** Converts an event to the format of the database's functions. */
export const toRow = ({ outcome = 'ok', requestId, keyId, ...event }: AuditEvent) => ({
  ...event,
  outcome,
  request_id: requestId,
  key_id: keyId,
})

/** Appends entries as part of a statement, atomically with the act. */
export const appendAudit = (events: readonly AuditEvent[]): RawBuilder<unknown> =>
  sql`append_audit(${JSON.stringify(events.map(toRow))}::json)`

/**
 * Appends entries in the transaction of the act. For the serving role, operator and owner. Throws the
 * driver's errors.
 */
export const recordEvents = async (db: Db, events: readonly AuditEvent[]): Promise<void> => {
  if (events.length === 0) return
  await sql`select ${appendAudit(events)}`.execute(db)
}
