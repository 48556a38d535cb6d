import { type RawBuilder, sql, type UpdateObject } from 'kysely'
import { selectInstant } from '../db/instant.ts'
import type { Database, Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'

/** A key, or a link to one: then `expires_at` is the link's. Instants: RFC 3339, UTC, six decimals. */
export type ApiKey = {
  key_id: string
  customer: string
  name: string | null
  /**
   * `pending`: an unused link, or a key that replaces another one and was not used yet; both are `expired` after
   * `expires_at`. `replaced`: rotated, but valid until `expires_at`.
   */
  state: 'active' | 'replaced' | 'expired' | 'revoked' | 'pending'
  scopes: string[] | null
  expires_at: string | null
  revoked_at: string | null
  last_used_on: string | null
  replaced_by: string | null
  /** The key that this one replaces at its first login. */
  replaces: string | null
  /** null = any address. */
  networks: string[] | null
  kids: string[] | null
  created_at: string
}

const columns = [
  'key_id',
  'customer_id as customer',
  'name',
  sql<ApiKey['state']>`case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired'
    when replaced_by is not null then 'replaced' when replaces is not null then 'pending' else 'active' end`.as(
    'state',
  ),
  'scopes',
  selectInstant('expires_at').$castTo<string | null>().as('expires_at'),
  selectInstant('revoked_at').$castTo<string | null>().as('revoked_at'),
  'last_used_on',
  'replaced_by',
  'replaces',
  sql<string[] | null>`networks::text[]`.as('networks'),
  sql<string[] | null>`jsonb_path_query_array(client_jwks, '$.keys[*].kid')`.as('kids'),
  selectInstant('created_at').as('created_at'),
] as const

/** `scopes`: see `KeyFacts`. null = every scope except `onlyNamedScopes`, no expiry. Without `networks`: any address. */
export type NewApiKey = {
  customerId: string
  keyId: string
  secretSha256: Buffer
  scopes: string[] | null
  expiresAt: string | null
  networks?: string[] | undefined
  name?: string | undefined
  /** The public keys of a client that signs, as JSON. `secretSha256` then belongs to a secret that was never shown. */
  clientJwks?: string
}

/** Rejects with the driver's foreign key error if the customer does not exist. */
export const addApiKey = (db: Db, key: NewApiKey): Promise<ApiKey> => {
  const { networks = null, clientJwks = null, name = null } = key
  return db
    .insertInto('api_keys')
    .values({
      customer_id: key.customerId,
      key_id: key.keyId,
      secret_sha256: key.secretSha256,
      scopes: key.scopes,
      expires_at: key.expiresAt,
      networks: sql<string[] | null>`${networks}::cidr[]`,
      client_jwks: clientJwks,
      name,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

const selectKeys = (db: Db, customerId?: string) =>
  db
    .selectFrom('api_keys')
    .select(columns)
    .$if(customerId !== undefined, (query) => query.where('customer_id', '=', customerId as string))
    .orderBy('customer_id')
    .orderBy('api_keys.created_at')
    .orderBy('key_id')

/** Keys of one customer, or of all by customer. Oldest first, including revoked keys. */
export const listApiKeys = (db: Db, customerId?: string): Promise<ApiKey[]> =>
  selectKeys(db, customerId).execute()

/** The keys that `readKeyExpiry` counts, for any time: keys in use that end within `withinSeconds`. */
export const listEndingKeys = (
  db: Db,
  { customerId, withinSeconds }: Readonly<{ customerId?: string | undefined; withinSeconds: number }>,
): Promise<ApiKey[]> =>
  selectKeys(db, customerId)
    .where(
      sql<boolean>`expires_at > now() and expires_at <= now() + make_interval(secs => ${withinSeconds})
        and revoked_at is null and replaced_by is null and replaces is null`,
    )
    .where(
      sql<boolean>`exists (select from customers c
        where c.customer_id = api_keys.customer_id and c.plan <> 'basic' and c.suspended_at is null)`,
    )
    .execute()

const isOver = ({ state }: ApiKey): boolean => state === 'expired' || state === 'revoked'

/** In milliseconds since 1970. Keys that end within the same millisecond keep their order. */
const getEnd = ({ expires_at }: ApiKey): number =>
  expires_at === null ? Number.MAX_VALUE : Date.parse(expires_at)

/** The next to end comes first. Keys that no longer work are the last, in the order of their ends. */
export const sortByEnd = (keys: readonly ApiKey[]): ApiKey[] =>
  keys.toSorted((one, other) => Number(isOver(one)) - Number(isOver(other)) || getEnd(one) - getEnd(other))

const updateKey = (db: Db, keyId: string, values: UpdateObject<Database, 'api_keys'>) =>
  db.updateTable('api_keys').set(values).where('key_id', '=', keyId).returning(columns)

type KeySuccession = { key: ApiKey; former: ApiKey }

/** True for a key that can be rotated. */
export const mayBeSucceeded: RawBuilder<boolean> = sql`revoked_at is null and replaced_by is null and replaces is null
  and client_jwks is null and coalesce(expires_at, 'infinity') > now()`

/** Locks the customer first, then the key, as an erasure does. */
export const lockKey = async (trx: Db, keyId: string): Promise<void> => {
  await sql`select lock_key(customer_id, key_id) from api_keys where key_id = ${keyId}`.execute(trx)
}

/** If `mayBeSucceeded`, adds a copy with full lifetime. The old key ends in `overlapSeconds`, or earlier. */
export const succeedApiKey = (
  db: Db,
  keyId: string,
  fresh: Pick<NewApiKey, 'keyId' | 'secretSha256'>,
  overlapSeconds: number,
): Promise<KeySuccession | undefined> =>
  inTransaction(db, async (transaction) => {
    await lockKey(transaction, keyId)
    const key = await transaction
      .insertInto('api_keys')
      .columns(['customer_id', 'key_id', 'secret_sha256', 'name', 'scopes', 'networks', 'expires_at'])
      .expression(sql`
        select customer_id, ${fresh.keyId}, ${fresh.secretSha256}::bytea, name, scopes, networks,
          now() + (expires_at - created_at)
        from api_keys where key_id = ${keyId} and ${mayBeSucceeded}`)
      .returning(columns)
      .executeTakeFirst()
    if (!key) return undefined
    const former = await updateKey(transaction, keyId, {
      replaced_by: fresh.keyId,
      expires_at: sql<string>`least(expires_at, now() + make_interval(secs => ${overlapSeconds}))`,
    }).executeTakeFirstOrThrow()
    return { key, former }
  })

/**
 * Returns the keys that rotations have made from a key, directly or from its successors, and links to such keys. `keys`
 * are all keys and links of the customer. The nearest comes first. Omits those that no longer work.
 * See docs/decisions/0284-successors-end-with-their-key.md.
 */
export const listSuccessors = (keys: readonly ApiKey[], keyId: string): ApiKey[] => {
  const ids = new Set([keyId])
  // Each step of a row adds at least one key.
  for (let size = 0; size < ids.size; ) {
    size = ids.size
    for (const key of keys) {
      if (key.replaces !== null && ids.has(key.replaces)) ids.add(key.key_id)
      if (key.replaced_by !== null && ids.has(key.key_id)) ids.add(key.replaced_by)
    }
  }
  ids.delete(keyId)
  return [...ids].flatMap((id) => keys.filter((key) => key.key_id === id && !isOver(key)))
}

/** Locks the customer of a key until the end of the transaction, so that no rotation begins or ends in the meantime. */
export const lockKeyCustomer = async (trx: Db, keyId: string): Promise<void> => {
  await sql`select from customers where customer_id = (select customer_id from api_keys where key_id = ${keyId})
    for update`.execute(trx)
}

/** Lets a successor that waits for its first login outlive the revocations of this transaction. */
export const keepSuccessors = async (trx: Db): Promise<void> => {
  await sql`select set_config('app.keep_successors', 'true', true)`.execute(trx)
}

/** Revokes a key. Keeps an earlier revocation time. `undefined` if the key does not exist. */
export const revokeApiKey = (db: Db, keyId: string): Promise<ApiKey | undefined> =>
  updateKey(db, keyId, { revoked_at: sql<string>`coalesce(revoked_at, now())` }).executeTakeFirst()

/** `networks`: from `parseNetwork`; null = any address. `undefined` if the key does not exist. */
export const limitApiKey = (db: Db, keyId: string, networks: string[] | null): Promise<ApiKey | undefined> =>
  updateKey(db, keyId, { networks: sql<string[] | null>`${networks}::cidr[]` }).executeTakeFirst()

/** `undefined` if the key does not exist. */
export const renameApiKey = (db: Db, keyId: string, name: string): Promise<ApiKey | undefined> =>
  updateKey(db, keyId, { name }).executeTakeFirst()

/** Replaces the public keys of a signing client. `undefined` if the key does not exist or has a secret. */
export const changeClientJwks = (db: Db, keyId: string, clientJwks: string): Promise<ApiKey | undefined> =>
  updateKey(db, keyId, { client_jwks: clientJwks }).where('client_jwks', 'is not', null).executeTakeFirst()
