import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { instantText } from '../../db/instant.ts'
import type { Db } from '../../db/schema.ts'
import type { ResourceName } from '../../records/resources/define.ts'
import type { Place } from './look.ts'

/** A webhook as the operator sees it. Instants are RFC 3339 in UTC with six decimals. */
export type Webhook = {
  webhook_id: string
  customer: string
  url: string
  resources: ResourceName[]
  /** `failing`: active, and the last attempts failed. */
  state: 'unverified' | 'active' | 'failing' | 'disabled'
  /** Why it is disabled. */
  reason: 'operator' | 'gone' | 'failing' | null
  failing_since: string | null
  next_attempt_at: string | null
  /** How the last attempt ended: the status, or what went wrong. */
  last_result: string | null
  delivered_at: string | null
  created_at: string
}

/** Webhooks that a customer may have, in whatever state. */
export const mostWebhooks = 10

const instant = (column: string) => `${instantText(column)} as ${column}`
const columns = sql.raw(`webhook_id, customer_id as customer, url, resources,
  case when state = 'active' and failing_since is not null then 'failing' else state end as state, reason,
  ${['failing_since', 'next_attempt_at'].map(instant).join(', ')}, last_result,
  ${['delivered_at', 'created_at'].map(instant).join(', ')}`)

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
const createWebhookId = (): string =>
  `wh_${Array.from({ length: 16 }, () => letters[randomInt(letters.length)]).join('')}`

type NewWebhook = Readonly<{ customer: string; url: string; resources: readonly ResourceName[] }>

/** Adds a webhook that is not verified yet. Returns undefined if the customer has as many as it may. In a transaction. */
export const addWebhook = async (trx: Db, added: NewWebhook): Promise<Webhook | undefined> => {
  const { customer, url, resources } = added
  // Two at once count one after the other. The audit trail's lock of the customer goes beside it.
  await sql`select from customers where customer_id = ${customer} for no key update`.execute(trx)
  const { rows } = await sql<Webhook>`
    insert into webhooks (customer_id, webhook_id, url, resources)
    select ${customer}, ${createWebhookId()}, ${url}, ${resources}::text[]
    where (select count(*) from webhooks where customer_id = ${customer}) < ${mostWebhooks}::integer
    returning ${columns}`.execute(trx)
  return rows[0]
}

/** All webhooks, or a customer's, the oldest first. */
export const listWebhooks = async (db: Db, customer: string | undefined): Promise<Webhook[]> => {
  const { rows } = await sql<Webhook>`
    select ${columns} from webhooks where ${customer ?? null}::text is null or customer_id = ${customer ?? null}
    order by webhooks.created_at, webhook_id`.execute(db)
  return rows
}

/** The webhook of this id. */
export const findWebhook = async (db: Db, id: string): Promise<Webhook | undefined> => {
  const { rows } = await sql<Webhook>`
    select ${columns} from webhooks where webhook_id = ${id}`.execute(db)
  return rows[0]
}

/**
 * Has a webhook send from now on. What changed since the place where it stopped is told; `place`: where one begins that
 * never sent. Undefined: there is none.
 */
export const activateWebhook = async (db: Db, id: string, place: Place): Promise<Webhook | undefined> => {
  const { token, since, day, identity } = place
  const { rows } = await sql<Webhook>`
    update webhooks set state = 'active', reason = null, changed_at = now(),
      token = coalesce(token, ${token}), since = coalesce(since, ${since}::xid8),
      day = coalesce(day, ${day}::date), identity = coalesce(identity, ${identity}),
      attempts = 0, failing_since = null, next_attempt_at = null
    where webhook_id = ${id} returning ${columns}`.execute(db)
  return rows[0]
}

/** Notes how a test ended. */
export const noteWebhookResult = async (db: Db, id: string, result: string): Promise<void> => {
  await sql`update webhooks set last_result = ${result} where webhook_id = ${id}`.execute(db)
}

/** Has a webhook send nothing until it is enabled. Undefined: there is none. */
export const disableWebhook = async (db: Db, id: string): Promise<Webhook | undefined> => {
  const { rows } = await sql<Webhook>`
    update webhooks set state = 'disabled', reason = 'operator', changed_at = now(), held_until = null
    where webhook_id = ${id} returning ${columns}`.execute(db)
  return rows[0]
}

/** Deletes a webhook and returns it as it was. Undefined: there is none. */
export const removeWebhook = async (db: Db, id: string): Promise<Webhook | undefined> => {
  const { rows } = await sql<Webhook>`
    delete from webhooks where webhook_id = ${id} returning ${columns}`.execute(db)
  return rows[0]
}

/** Webhooks whose receiver fails now, and those that the service has disabled; as the serving role. */
export const countFailedWebhooks = async (db: Db): Promise<{ failing: number; disabled: number }> => {
  const { rows } = await sql<{ failing: number; disabled: number }>`
    select failing, disabled from count_webhooks()`.execute(db)
  return rows[0] ?? { failing: 0, disabled: 0 }
}
