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
  'customers.import',
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
  'keys.rename',
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
  'status.list',
  'status.note',
  'status.remove',
  'tokens.revoke',
  'webhooks.add',
  'webhooks.disable',
  'webhooks.enable',
  'webhooks.list',
  'webhooks.remove',
  'webhooks.test',
] as const

/** An entry with this action explains why its customer's personal parts are missing. */
export const erasure = 'customers.erase' satisfies AuditAction

export type AuditAction = (typeof auditActions)[number]

/**
 * Becomes an entry of the trail. Must not contain secrets, or values of records or queries. Only `customer`,
 * `keyId`, `subject`, `client` and `details` may name people: an erasure of the customer deletes them, and an
 * entry whose `customer` was deleted is stored without them.
 */
export type AuditEvent = {
  actor: 'key' | 'demo' | 'anonymous' | 'operator' | 'system'
  action: AuditAction
  outcome?: 'ok' | 'refused'
  /** A slug. Defaults to the customer of `keyId`; without a customer, `keyId` is not stored. */
  customer?: string | undefined
  keyId?: string | undefined
  subject?: string | undefined
  requestId?: string | undefined
  /** From `truncateAddress`. */
  client?: string | undefined
  details?: Readonly<Record<string, unknown>>
}

/** Returns the format that SQL functions such as `append_audit` accept. */
export const toRow = ({ outcome = 'ok', requestId, keyId, ...event }: AuditEvent) => ({
  ...event,
  outcome,
  request_id: requestId,
  key_id: keyId,
})

/** An expression for the statement that does the act, so that both are atomic. */
export const appendAudit = (events: readonly AuditEvent[]): RawBuilder<unknown> =>
  sql`append_audit(${JSON.stringify(events.map(toRow))}::json)`

/** `db`: the transaction that does the act. Rejects with the driver's errors. */
export const recordEvents = async (db: Db, events: readonly AuditEvent[]): Promise<void> => {
  if (events.length === 0) return
  await sql`select ${appendAudit(events)}`.execute(db)
}
