import { sql } from 'kysely'
import { recordEvents } from '../../audit/record.ts'
import { selectInstant } from '../../db/instant.ts'
import type { Db } from '../../db/schema.ts'
import { inTransaction } from '../../db/transaction.ts'

/** Instants are RFC 3339 in UTC with six decimals. */
export type AccessRequest = {
  id: string
  status: 'open' | 'approved' | 'rejected'
  company: string
  name: string
  email: string
  message: string
  created_at: string
  due_at: string
  overdue: boolean
  decided_at: string | null
  customer: string | null
  reason: string | null
}

type NewAccessRequest = Pick<AccessRequest, 'id' | 'company' | 'name' | 'email' | 'message'> & {
  dueAt: string
}

/** Stores a request. `db` is the serving role's. */
export const addAccessRequest = async (db: Db, request: NewAccessRequest): Promise<void> => {
  const { id, company, name, email, message, dueAt } = request
  await sql`select add_access_request(${id}, ${company}, ${name}, ${email}, ${message},
    ${dueAt}::timestamptz)`.execute(db)
}

/** Counts open requests past their due time. `db` is the serving role's or the operator's. */
export const countOverdueRequests = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count_overdue_access_requests() as n`.execute(db)
  return rows[0]?.n ?? 0
}

/** Deletes requests `keptDays` (at least 1) after decision or arrival. Audits and returns the number. */
export const deleteOldRequests = (db: Db, keptDays: number, actor: 'system' | 'operator'): Promise<number> =>
  inTransaction(db, async (trx) => {
    const { rows } = await sql<{ n: number }>`
      select delete_old_access_requests(${keptDays}::integer) as n`.execute(trx)
    const count = rows[0]?.n ?? 0
    if (count > 0) await recordEvents(trx, [{ actor, action: 'requests.expire', details: { count } }])
    return count
  })

/** Lists all requests, open ones first, then by due time. `db` is the operator's, here and below. */
export const listAccessRequests = async (db: Db): Promise<AccessRequest[]> => {
  const { rows } = await sql<AccessRequest>`
    select request_id as id, status, company, name, email, message,
      ${selectInstant('created_at')} as created_at, ${selectInstant('due_at')} as due_at,
      status = 'open' and due_at < now() as overdue,
      ${selectInstant('decided_at')} as decided_at, customer, reason
    from (
      select request_id, case when rejected_at is null then 'open' else 'rejected' end as status, company,
        name, email, message, created_at, due_at, rejected_at as decided_at, null as customer, reason
      from access_requests
      union all
      select request_id, 'approved', company, name, email, message, created_at, due_at, approved_at,
        customer_id, null
      from approved_requests
    ) requests order by status <> 'open', requests.due_at, id`.execute(db)
  return rows
}

export type Visitor = Pick<AccessRequest, 'company' | 'name' | 'email'>

/** Locks an open request until the transaction ends. `undefined` if no such request is open. */
export const lockOpenRequest = async (trx: Db, id: string): Promise<Visitor | undefined> => {
  const { rows } = await sql<Visitor>`
    select company, name, email from access_requests where request_id = ${id} and rejected_at is null
    for update`.execute(trx)
  return rows[0]
}

/** Moves an open request to its new customer, in the transaction that locked the request. */
export const moveToCustomer = async (trx: Db, id: string, customerId: string): Promise<void> => {
  await sql`
    with moved as (delete from access_requests where request_id = ${id} returning *)
    insert into approved_requests (customer_id, request_id, company, name, email, message, created_at, due_at)
    select ${customerId}, request_id, company, name, email, message, created_at, due_at from moved`.execute(
    trx,
  )
}

/** `contact`: the visitor's name. */
export type RejectedRequest = Readonly<{ id: string; decided_at: string; contact: string; email: string }>

/** Rejects an open request and returns it. `undefined` if there is no such request. */
export const rejectRequest = async (
  db: Db,
  id: string,
  reason: string | null,
): Promise<RejectedRequest | undefined> => {
  const { rows } = await sql<RejectedRequest>`
    update access_requests set rejected_at = now(), reason = ${reason}
    where request_id = ${id} and rejected_at is null
    returning request_id as id, ${selectInstant('rejected_at')} as decided_at, name as contact, email`.execute(
    db,
  )
  return rows[0]
}
