import { randomInt } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { instantText } from '../../db/instant.ts'
import type { Db } from '../../db/schema.ts'
import type { ResourceName } from '../../records/resources/define.ts'

/** The token shows all transactions below `since`. `day`: YYYY-MM-DD. */
export type FeedPosition = Readonly<{ token: string; since: string; day: string; identity: string }>

/** For the CLI. Instants are RFC 3339 in UTC with six decimals. */
export type Webhook = {
  webhook_id: string
  customer: string
  url: string
  resources: ResourceName[]
  /** `failing`: active, but the last attempts failed. */
  state: 'active' | 'failing' | 'disabled'
  reason: 'operator' | 'gone' | 'failing' | null
  failing_since: string | null
  next_attempt_at: string | null
  last_result: string | null
  delivered_at: string | null
  created_at: string
}

export const mostWebhooks = 10

/** Of the attempts of each webhook. */
export const keptDeliveries = 20

/** SQL of the state that people see. `row`: the alias of the webhook with a dot, or ''. */
export const stateText = (row: string): string =>
  `case when ${row}state = 'active' and ${row}failing_since is not null then 'failing' else ${row}state end`

const instant = (column: string) => `${instantText(column)} as ${column}`
const columns = sql.raw(`webhook_id, customer_id as customer, url, resources,
  ${stateText('')} as state, reason,
  ${['failing_since', 'next_attempt_at'].map(instant).join(', ')}, last_result,
  ${['delivered_at', 'created_at'].map(instant).join(', ')}`)

const readFirst = async (db: Db, statement: RawBuilder<Webhook>): Promise<Webhook | undefined> =>
  (await statement.execute(db)).rows[0]

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
const createWebhookId = (): string =>
  `wh_${Array.from({ length: 16 }, () => letters[randomInt(letters.length)]).join('')}`

type NewWebhook = Readonly<{
  customer: string
  url: string
  resources: readonly ResourceName[]
  position: FeedPosition
  result: string
}>

/** Adds a webhook, in a transaction. `undefined` if the customer has `mostWebhooks`. */
export const addWebhook = async (trx: Db, added: NewWebhook): Promise<Webhook | undefined> => {
  const { customer, url, resources, position, result } = added
  // Concurrent additions count one after the other. The audit trail's lock does not conflict with this one.
  await sql`select from customers where customer_id = ${customer} for no key update`.execute(trx)
  return readFirst(
    trx,
    sql`insert into webhooks (customer_id, webhook_id, url, resources, token, since, day, identity, last_result)
      select ${customer}, ${createWebhookId()}, ${url}, ${resources}::text[], ${position.token}, ${position.since}::xid8,
        ${position.day}::date, ${position.identity}, ${result}
      where (select count(*) from webhooks where customer_id = ${customer}) < ${mostWebhooks}::integer
      returning ${columns}`,
  )
}

/** Lists the webhooks of a customer, or of all customers, oldest first. */
export const listWebhooks = async (db: Db, customer: string | undefined): Promise<Webhook[]> => {
  const { rows } = await sql<Webhook>`
    select ${columns} from webhooks where ${customer ?? null}::text is null or customer_id = ${customer ?? null}
    order by webhooks.created_at, webhook_id`.execute(db)
  return rows
}

/** Finds a webhook. `undefined` if it does not exist. */
export const findWebhook = (db: Db, id: string) =>
  readFirst(db, sql`select ${columns} from webhooks where webhook_id = ${id}`)

/** Activates a webhook, which then reports all changes since its last delivery. `undefined` if unknown. */
export const activateWebhook = (db: Db, id: string) =>
  readFirst(
    db,
    sql`update webhooks set state = 'active', reason = null, changed_at = now(),
      attempts = 0, failing_since = null, next_attempt_at = null
      where webhook_id = ${id} returning ${columns}`,
  )

/** `result`: a status or an error. */
export type Delivery = Readonly<{ at: string; message_id: string; result: string }>

/** Saves the result of a test message, also in the delivery log. */
export const noteWebhookResult = async (db: Db, id: string, delivery: Delivery): Promise<void> => {
  await sql`
    with tested as (
      update webhooks set last_result = ${delivery.result} where webhook_id = ${id} returning customer_id)
    select log_webhook_delivery(customer_id, ${id}, ${JSON.stringify(delivery)}::json) from tested`.execute(
    db,
  )
}

/** Lists the last 20 attempts of a webhook, newest first. `at` is RFC 3339 in UTC with six decimals. */
export const listDeliveries = async (
  db: Db,
  { customer, webhook_id }: Pick<Webhook, 'customer' | 'webhook_id'>,
): Promise<Delivery[]> => {
  const { rows } = await sql<Delivery>`
    select ${sql.raw(instant('at'))}, result, message_id from webhook_deliveries
    where customer_id = ${customer} and webhook_id = ${webhook_id} order by attempt_id desc limit ${keptDeliveries}`.execute(
    db,
  )
  return rows
}

/** Stops a webhook and ends its lease. Loses the result of an attempt in progress. `undefined` if unknown. */
export const disableWebhook = (db: Db, id: string) =>
  readFirst(
    db,
    sql`update webhooks set state = 'disabled', reason = 'operator', changed_at = now(), held_until = null
      where webhook_id = ${id} returning ${columns}`,
  )

/** Deletes a webhook and returns its last state. `undefined` if it does not exist. */
export const removeWebhook = (db: Db, id: string) =>
  readFirst(db, sql`delete from webhooks where webhook_id = ${id} returning ${columns}`)

/** Counts failing webhooks, and webhooks that the service has disabled. Runs as the serving role. */
export const countFailedWebhooks = async (db: Db): Promise<{ failing: number; disabled: number }> => {
  const { rows } = await sql<{ failing: number; disabled: number }>`
    select failing, disabled from count_webhooks()`.execute(db)
  return rows[0] ?? { failing: 0, disabled: 0 }
}
