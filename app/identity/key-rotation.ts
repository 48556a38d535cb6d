import { sql, type Transaction } from 'kysely'
import type { Secrets } from '../config/secrets.ts'
import { selectInstant } from '../db/instant.ts'
import type { Database, Db } from '../db/schema.ts'
import { inTransaction } from '../db/transaction.ts'
import { createSigningKey, decryptSigningKey } from './signing-key.ts'
import { jwksMaxAgeSeconds } from './signing-keys.ts'

/** `next`: published, but does not sign yet. `gone`: its tokens have expired; the next rotation deletes it. */
type SigningKeyState = 'next' | 'active' | 'retiring' | 'gone'

type SigningKeyRecord = {
  kid: string
  state: SigningKeyState
  created_at: string
  activated_at: string | null
  retired_at: string | null
  tokens_until: string | null
}

/** Age at which a key may sign; `instances` for `--now`. See docs/decisions/0006-retiring-signing-keys.md. */
export const leadSeconds = { verifiers: jwksMaxAgeSeconds, instances: 5 } as const

const insertKey = (db: Db, state: 'next' | 'active', secrets: Secrets) =>
  db
    .insertInto('signing_keys')
    .values({
      ...createSigningKey(secrets),
      state,
      activated_at: state === 'active' ? sql<string>`now()` : null,
    })
    .onConflict((conflict) => conflict.column('state').where('state', '=', state).doNothing())
    .execute()

/** Creates the active and the next key if missing. Safe to run concurrently. */
export const ensureSigningKeys = async (db: Db, secrets: Secrets): Promise<void> => {
  const rows = await db.selectFrom('signing_keys').select('state').execute()
  for (const state of ['active', 'next'] as const) {
    if (!rows.some((row) => row.state === state)) await insertKey(db, state, secrets)
  }
}

const instant = <Column extends string>(column: Column) =>
  selectInstant(column).$castTo<string | null>().as(column)
// After the same minute, list_signing_keys() in SQL omits the key.
const isGone = sql<boolean>`state = 'retiring' and tokens_until < now() - interval '1 minute'`

/** Newest first. */
export const listSigningKeys = (db: Db): Promise<SigningKeyRecord[]> =>
  db
    .selectFrom('signing_keys')
    .select([
      'kid',
      sql<SigningKeyState>`case when ${isGone} then 'gone' else state end`.as('state'),
      selectInstant('created_at').as('created_at'),
      instant('activated_at'),
      instant('retired_at'),
      instant('tokens_until'),
    ])
    .orderBy('signing_keys.created_at', 'desc')
    .orderBy('kid')
    .execute()

type Row = { kid: string; state: string; encrypted: Buffer; ageSeconds: number }

// Decrypts every key to check SECRET_KEY: with a wrong one, no instance could decrypt the key created next.
const readKeys = async (db: Transaction<Database>, secrets: Secrets): Promise<Row[]> => {
  const { rows } = await sql<Row>`
    select kid, state, encrypted_private_key as encrypted,
      extract(epoch from clock_timestamp() - created_at)::float8 as "ageSeconds"
    from signing_keys`.execute(db)
  for (const { kid, encrypted } of rows) decryptSigningKey(kid, encrypted, secrets)
  return rows
}

const requireNext = (rows: readonly Row[], lead: number): Row => {
  const next = rows.find((row) => row.state === 'next')
  if (!next || !rows.some((row) => row.state === 'active')) {
    throw new Error('There is no signing key to change to: run "certdata migrate", which makes one')
  }
  const waitSeconds = Math.ceil(lead - next.ageSeconds)
  if (waitSeconds <= 0) return next
  throw new Error(
    `The next signing key was published ${Math.floor(next.ageSeconds)} s ago, and some clients have not loaded ` +
      `it yet: wait ${waitSeconds} s`,
  )
}

/**
 * Activates the next key, creates another next key and deletes keys of the state `gone`. Throws, without any change,
 * if the next key is missing or younger than `lead` seconds, or if `secrets` does not decrypt a key.
 */
export const rotateSigningKeys = (db: Db, secrets: Secrets, lead: number): Promise<SigningKeyRecord[]> =>
  inTransaction(db, async (transaction) => {
    await sql`lock table signing_keys in share row exclusive mode`.execute(transaction)
    // Deleted first: they may be encrypted with a SECRET_KEY that was dropped after their tokens expired.
    await transaction.deleteFrom('signing_keys').where(isGone).execute()
    const next = requireNext(await readKeys(transaction, secrets), lead)
    await transaction
      .updateTable('signing_keys')
      .set({
        state: 'retiring',
        retired_at: sql<string>`now()`,
        tokens_until: sql<string>`coalesce(tokens_until, now())`,
      })
      .where('state', '=', 'active')
      .execute()
    await transaction
      .updateTable('signing_keys')
      .set({ state: 'active', activated_at: sql<string>`now()` })
      .where('kid', '=', next.kid)
      .execute()
    await insertKey(transaction, 'next', secrets)
    return listSigningKeys(transaction)
  })
