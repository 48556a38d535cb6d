import { sql } from 'kysely'
import { inTurn, type QueuedDb } from '../../db/connect.ts'
import { selectInstant } from '../../db/instant.ts'
import type { Principal } from '../../identity/principal.ts'
import type { Principals } from '../../identity/principals.ts'
import { session } from '../../records/sql/session.ts'

type KeyRow = Readonly<{
  id: string
  name: string | null
  state: 'active' | 'pending' | 'replaced' | 'expired' | 'revoked'
  created_at: string
  last_used_on: string | null
  expires_at: string | null
  scopes: string[] | null
  networks: string[] | null
}>

/** A customer that rotates each day reaches this after three years. */
const mostKeys = 1_000

/** Reads the newest keys of the principal's customer in its turn, without secrets. Rejects as `inTurn` does. */
export const readAccountKeys = async (
  db: QueuedDb,
  { customerId, keyId }: Principal,
  principals: Pick<Principals, 'listScopes'>,
): Promise<Readonly<{ dataAsOf: string; data: readonly object[] }>> => {
  const statement = sql<{ data_as_of: string; keys: KeyRow[] }>`
    select ${selectInstant('now()')} as data_as_of, coalesce((
      select json_agg(x) from (
        select k.key_id as id, k.name, k.state, ${selectInstant('k.created_at')} as created_at, k.last_used_on,
          ${selectInstant('k.expires_at')} as expires_at, k.scopes, k.networks
        from list_account_keys(s.customer_id, ${keyId}, ${mostKeys}) k) x), '[]') as keys
    from ${session(customerId, false)}`
  const { rows } = await inTurn(db, customerId, () => statement.execute(db))
  const { data_as_of: dataAsOf = '', keys = [] } = rows[0] ?? {}
  const toShown = async ({ id, name, scopes, ...rest }: KeyRow) => {
    const named = scopes === null ? undefined : new Set(scopes)
    const all = await principals.listScopes({ customerId, scopes: named })
    return { id, name, is_current: id === keyId, ...rest, scopes: all.sort() }
  }
  return { dataAsOf, data: await Promise.all(keys.map(toShown)) }
}
