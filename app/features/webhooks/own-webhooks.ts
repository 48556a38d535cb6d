import { sql } from 'kysely'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import { instantText, selectInstant } from '../../db/instant.ts'
import { ApiError } from '../../errors.ts'
import { session } from '../../records/sql/session.ts'
import { keptDeliveries, stateText } from './store.ts'

/** `data`: objects as the API shows them. `dataAsOf`: RFC 3339. */
type Own = Readonly<{ dataAsOf: string; data: readonly object[] }>
type OwnRow = Readonly<{ data_as_of: string; data: object[] }>

const instant = (column: string) => `${instantText(`w.${column}`)} as ${column}`
const webhookColumns = sql.raw(`w.webhook_id as id, w.url, w.resources, ${stateText('w.')} as state, w.reason,
  ${['failing_since', 'next_attempt_at'].map(instant).join(', ')}, w.last_result,
  ${['delivered_at', 'created_at'].map(instant).join(', ')}`)

/** Reads the webhooks of a customer in its turn, oldest first. Rejects as `inTurn` does. Index: the primary key. */
export const readOwnWebhooks = async (db: QueuedDb, customerId: string): Promise<Own> => {
  const statement = sql<OwnRow>`
    select ${selectInstant('now()')} as data_as_of, coalesce((
      select json_agg(x) from (
        select ${webhookColumns} from webhooks w where w.customer_id = s.customer_id
        order by w.created_at, w.webhook_id) x), '[]') as data
    from ${session(customerId, false)}`
  const { rows } = await inTurn(db, customerId, () => statement.execute(db))
  const { data_as_of: dataAsOf = '', data = [] } = rows[0] ?? {}
  return { dataAsOf, data }
}

/** Reads the kept attempts of a webhook, newest first. Rejects with `not_found` if the customer has no such webhook. */
export const readOwnDeliveries = async (db: QueuedDb, customerId: string, id: string): Promise<Own> => {
  const statement = sql<OwnRow>`
    select ${selectInstant('now()')} as data_as_of, coalesce((
      select json_agg(x) from (
        select ${selectInstant('d.at')} as at, d.message_id, d.result from webhook_deliveries d
        where d.customer_id = s.customer_id and d.webhook_id = w.webhook_id
        order by d.attempt_id desc limit ${keptDeliveries}) x), '[]') as data
    from ${session(customerId, false)}
    join webhooks w on w.customer_id = s.customer_id and w.webhook_id = ${id}`
  const { rows } = await inTurn(db, customerId, () => statement.execute(db))
  const [row] = rows
  if (!row) throw new ApiError('not_found')
  return { dataAsOf: row.data_as_of, data: row.data }
}
