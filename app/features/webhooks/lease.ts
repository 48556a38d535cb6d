import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'
import type { ResourceName } from '../../records/resources/define.ts'
import type { Delivery } from './store.ts'

/** A webhook leased by this instance. Instants: PostgreSQL's text format, or RFC 3339 after an update. */
export type LeasedWebhook = Readonly<{
  customer_id: string
  webhook_id: string
  url: string
  resources: readonly ResourceName[]
  token: string
  /** The stored message, and the position after its delivery. Null without one. */
  message_id: string | null
  message_at: string | null
  message_resources: readonly string[] | null
  message_after: string | null
  next_token: string | null
  next_since: string | null
  next_day: string | null
  next_identity: string | null
  attempts: number
  failing_since: string | null
}>

export type WebhookChanges = Readonly<
  Partial<Omit<LeasedWebhook, 'customer_id' | 'webhook_id' | 'url' | 'resources'>> & {
    state?: 'disabled'
    reason?: 'gone' | 'failing'
    changed_at?: string
    since?: string | null
    day?: string | null
    identity?: string | null
    next_attempt_at?: string | null
    last_result?: string
    delivered_at?: string
    held_until?: string | null
    delivery?: Delivery
  }
>

// See docs/decisions/0107-a-row-holds-the-lease-of-a-webhook.md.
export type Claim = Readonly<{
  holder: string
  at: string
  leaseMs: number
  /** Customers to check. `undefined`: all. `busy`: ids of webhooks that this instance works on. */
  changed: readonly string[] | undefined
  busy: readonly string[]
  most: number
  /** Includes webhooks whose last attempt failed. */
  withFailing: boolean
}>

/** Claims webhooks that may have work and that no other instance holds. Runs as the serving role. */
export const claimWebhooks = async (db: Db, claim: Claim): Promise<LeasedWebhook[]> => {
  const { holder, at, leaseMs, changed, busy, most, withFailing } = claim
  const { rows } = await sql<LeasedWebhook>`
    select customer_id, webhook_id, url, resources, token, message_id, message_at, message_resources,
      message_after, next_token, next_since::text, next_day, next_identity, attempts, failing_since
    from claim_webhooks(${holder}::uuid, ${at}::timestamptz, ${leaseMs}::integer * interval '1 millisecond',
      ${changed}::text[], ${busy}::text[], ${most}::integer, ${withFailing}::boolean)`.execute(db)
  return rows
}

/** Renews the leases in `busy`. Returns customers with webhooks whose lease has ended or whose attempt is due. */
export const renewWebhooks = async (
  db: Db,
  { holder, at, leaseMs, busy }: Pick<Claim, 'holder' | 'at' | 'leaseMs' | 'busy'>,
): Promise<string[]> => {
  const { rows } = await sql<{ customer: string }>`
    select customer from renew_webhooks(${holder}::uuid, ${at}::timestamptz,
      ${leaseMs}::integer * interval '1 millisecond', ${busy}::text[]) customer`.execute(db)
  return rows.map(({ customer }) => customer)
}

/** Updates a webhook. `undefined` if this instance no longer holds it or it is no longer active. */
export const updateWebhook = async (
  db: Db,
  holder: string,
  hook: LeasedWebhook,
  changes: WebhookChanges,
): Promise<LeasedWebhook | undefined> => {
  const { rows } = await sql<{ kept: boolean }>`
    select update_webhook(${holder}::uuid, ${hook.customer_id}, ${hook.webhook_id},
      ${JSON.stringify(changes)}::json) as kept`.execute(db)
  return rows[0]?.kept ? { ...hook, ...changes } : undefined
}
