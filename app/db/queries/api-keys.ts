import { sql } from 'kysely'
import type { Db } from '../schema.ts'
import { instantText } from './customers.ts'

/** What may be known of a key; the secret is not. Instants are RFC 3339 in UTC with six decimals. */
export type ApiKey = {
  key_id: string
  customer: string
  /** null = every scope, those of later releases included. */
  scopes: string[] | null
  expires_at: string | null
  revoked_at: string | null
  /** A day, YYYY-MM-DD. */
  last_used_on: string | null
  created_at: string
}

const columns = [
  'key_id',
  'customer_id as customer',
  'scopes',
  instantText('expires_at').$castTo<string | null>().as('expires_at'),
  instantText('revoked_at').$castTo<string | null>().as('revoked_at'),
  'last_used_on',
  instantText('created_at').as('created_at'),
] as const

/** `secretSha256`: 32 bytes. `scopes` null = every scope. `expiresAt`: an instant; null = never. */
export type NewApiKey = {
  customerId: string
  keyId: string
  secretSha256: Buffer
  scopes: string[] | null
  expiresAt: string | null
}

/** Adds a key. Throws the driver's foreign key error where there is no such customer. */
export const addApiKey = (db: Db, key: NewApiKey): Promise<ApiKey> =>
  db
    .insertInto('api_keys')
    .values({
      customer_id: key.customerId,
      key_id: key.keyId,
      secret_sha256: key.secretSha256,
      scopes: key.scopes,
      expires_at: key.expiresAt,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()

/** A customer's keys, or everybody's, the oldest first, revoked ones included. */
export const listApiKeys = (db: Db, customerId?: string): Promise<ApiKey[]> =>
  db
    .selectFrom('api_keys')
    .select(columns)
    .$if(customerId !== undefined, (query) => query.where('customer_id', '=', customerId as string))
    .orderBy('customer_id')
    .orderBy('api_keys.created_at')
    .orderBy('key_id')
    .execute()

/** Revokes a key for good; the first time counts. Undefined where there is no such key. */
export const revokeApiKey = (db: Db, keyId: string): Promise<ApiKey | undefined> =>
  db
    .updateTable('api_keys')
    .set({ revoked_at: sql<string>`coalesce(revoked_at, now())` })
    .where('key_id', '=', keyId)
    .returning(columns)
    .executeTakeFirst()
