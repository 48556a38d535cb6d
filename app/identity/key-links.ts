import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type AuditEvent, recordEvents } from '../audit/record.ts'
import { selectInstant } from '../db/instant.ts'
import type { Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import {
  type ApiKey,
  listApiKeys,
  lockKey,
  mayBeSucceeded,
  type NewApiKey,
  sortByEnd,
} from './api-key-store.ts'
import { createKeyId, createKeySecret } from './api-keys.ts'

/** 256 bits, so one unsalted SHA-256 is enough to store it. */
const secretBytes = 32

/** How long a key that replaces another one waits for its first login after the pick-up: people install it. */
const patienceSeconds = 7 * 86_400

const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

const columns = sql`key_id, customer_id as customer, name,
  case when expires_at <= now() then 'expired' else 'pending' end as state, scopes,
  ${selectInstant('expires_at')} as expires_at, null as revoked_at, null as last_used_on, null as replaced_by, replaces,
  networks::text[] as networks, null as kids, ${selectInstant('created_at')} as created_at`

/** `lifetimeSeconds`: of the key, from the use of the link; null = unlimited. */
type NewKeyLink = Pick<NewApiKey, 'customerId' | 'scopes' | 'networks' | 'name'> & {
  lifetimeSeconds: number | null
}

/**
 * Adds a link that shows a new key once, within seven days. Rejects with the driver's foreign key error if the
 * customer does not exist. See docs/decisions/0141-a-link-makes-the-key.md.
 */
export const addKeyLink = async (db: Db, wanted: NewKeyLink): Promise<{ link: ApiKey; secret: string }> => {
  const { customerId, name = null, scopes, networks = null, lifetimeSeconds } = wanted
  const secret = randomBytes(secretBytes).toString('base64url')
  const { rows } = await sql<ApiKey>`
    insert into key_links (customer_id, key_id, secret_sha256, name, scopes, networks, lifetime)
    values (${customerId}, ${createKeyId()}, ${hashSecret(secret)}, ${name}, ${scopes}::text[],
      ${networks}::cidr[], make_interval(secs => ${lifetimeSeconds}))
    returning ${columns}`.execute(db)
  return { link: rows[0] as ApiKey, secret }
}

/**
 * Adds a link to a key that replaces another one, `overlapSeconds` after its first login. An earlier unused link for the
 * same key stops working. `undefined` unless `mayBeSucceeded`.
 */
export const addSuccessorLink = (
  db: Db,
  keyId: string,
  overlapSeconds: number,
): Promise<{ link: ApiKey; lifetimeSeconds: number | null; secret: string } | undefined> =>
  inTransaction(db, async (trx) => {
    const secret = randomBytes(secretBytes).toString('base64url')
    await lockKey(trx, keyId)
    await sql`delete from key_links where replaces = ${keyId}`.execute(trx)
    const { rows } = await sql<ApiKey & { lifetimeSeconds: number | null }>`
      insert into key_links
        (customer_id, key_id, secret_sha256, name, scopes, networks, lifetime, replaces, overlap)
      select customer_id, ${createKeyId()}, ${hashSecret(secret)}, name, scopes, networks, expires_at - created_at,
        key_id, make_interval(secs => ${overlapSeconds})
      from api_keys where key_id = ${keyId} and ${mayBeSucceeded}
      returning ${columns}, round(extract(epoch from lifetime))::float8 as "lifetimeSeconds"`.execute(trx)
    const [row] = rows
    if (!row) return undefined
    const { lifetimeSeconds, ...link } = row
    return { link, lifetimeSeconds, secret }
  })

/** Lists unused links, also expired ones, of one customer or of all, by customer and age. */
export const listKeyLinks = async (db: Db, customerId: string | null = null): Promise<ApiKey[]> => {
  const { rows } = await sql<ApiKey>`
    select ${columns} from key_links
    where ${customerId}::text is null or customer_id = ${customerId}
    order by customer_id, key_links.created_at, key_id`.execute(db)
  return rows
}

/** Keys and unused links of one customer, or of all. The next to end comes first. */
export const listKeysAndLinks = async (db: Db, customerId?: string): Promise<ApiKey[]> =>
  sortByEnd([...(await listApiKeys(db, customerId)), ...(await listKeyLinks(db, customerId))])

/** Deletes an unused link and returns it as revoked. `undefined` if it does not exist or was used. */
export const removeKeyLink = async (db: Db, keyId: string): Promise<ApiKey | undefined> => {
  const { rows } = await sql<ApiKey>`
    delete from key_links where key_id = ${keyId} returning ${columns}`.execute(db)
  return rows[0] && { ...rows[0], state: 'revoked' }
}

/**
 * `replaces`: the previous key, which ends `overlap_seconds` after the first login with this one, or earlier. Then
 * `expires_at` is the last time for this login, and `expires_at_after_login` the end of the key from then on.
 */
export type ShownKey = Pick<
  ApiKey,
  'key_id' | 'customer' | 'name' | 'scopes' | 'networks' | 'expires_at' | 'replaces'
> & {
  overlap_seconds: number | null
  expires_at_after_login: string | null
  api_key: string
}

/** Uses up a link and creates its key. `undefined` if the link is not valid or its customer has no API access. */
export const takeLinkedKey = (
  db: Db,
  secret: string,
  source: Pick<AuditEvent, 'client' | 'requestId'>,
): Promise<ShownKey | undefined> =>
  inTransaction(db, async (trx) => {
    const { secretSha256, formatKey } = createKeySecret()
    const { rows } = await sql<Omit<ShownKey, 'api_key'>>`
      select key_id, customer_id as customer, name, scopes, networks, ${selectInstant('expires_at')} as expires_at,
        replaces, overlap_seconds, ${selectInstant('expires_at_after_login')} as expires_at_after_login
      from use_key_link(${hashSecret(secret)}, ${secretSha256}, make_interval(secs => ${patienceSeconds}))`.execute(
      trx,
    )
    const [key] = rows
    if (!key) return undefined
    const { customer, key_id: subject } = key
    await recordEvents(trx, [{ actor: 'anonymous', action: 'keys.pick-up', customer, subject, ...source }])
    return { api_key: formatKey(subject), ...key }
  })
