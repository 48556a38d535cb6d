import { sql } from 'kysely'
import type { Secrets } from '../config/secrets.ts'
import type { Db } from '../db/schema.ts'
import { unavailable } from '../errors.ts'
import { decryptSigningKey, type SigningKey } from './signing-key.ts'

/** How long clients may cache the key set. They refetch it for an unknown kid. */
export const jwksMaxAgeSeconds = 300

export type SigningKeys = Readonly<{
  active: SigningKey
  /** PEM by the exact first segment of a token. Like `jwks`, has the next, the active and the retiring keys. */
  publicByHeader: ReadonlyMap<string, string>
  jwks: Readonly<{ keys: readonly SigningKey['jwk'][] }>
  /** Reloads the keys if they changed. If it rejects, the current keys stay. */
  refresh(): Promise<void>
  /** Returns the active key, after storing that it stays published until `untilMs`. May reject with unavailable. */
  findActiveUntil(untilMs: number): Promise<SigningKey>
}>

type KeySet = Pick<SigningKeys, 'active' | 'publicByHeader' | 'jwks'> & { version: string }

/** Stored times are a minute later than needed, so that the database is updated once a minute and not per token. */
const coverStepMs = 60_000

const findVersion = async (db: Db): Promise<string> => {
  const { rows } = await sql<{ version: string }>`select signing_keys_version() as version`.execute(db)
  return rows[0]?.version ?? ''
}

/** Reads the version first: if keys change in between, the next `refresh` sees a different version. */
const loadKeySet = async (db: Db, secrets: Secrets): Promise<KeySet> => {
  const version = await findVersion(db)
  const { rows } = await sql<{ kid: string; state: string; encrypted: Buffer }>`
    select kid, state, encrypted_private_key as encrypted from list_signing_keys()`.execute(db)
  const keys = rows.map(({ kid, state, encrypted }) => {
    return { ...decryptSigningKey(kid, encrypted, secrets), state }
  })
  const active = keys.find((key) => key.state === 'active')
  if (!active) throw new Error('There is no active signing key: run "certdata migrate", which creates one')
  return {
    version,
    active,
    publicByHeader: new Map(keys.map((key) => [key.header, key.publicPem])),
    jwks: { keys: keys.map((key) => key.jwk) },
  }
}

const coverKey = async (db: Db, kid: string, untilMs: number): Promise<boolean> => {
  const { rows } = await sql<{ there: boolean }>`
    select cover_signing_key(${kid}, to_timestamp(${untilMs / 1000}::float8)) as there`.execute(db)
  return rows[0]?.there === true
}

/** Rejects if a key cannot be decrypted or none is active. */
export const loadSigningKeys = async (db: Db, secrets: Secrets): Promise<SigningKeys> => {
  let covered = { kid: '', untilMs: 0 }

  const cover = async ({ kid }: SigningKey, untilMs: number): Promise<boolean> => {
    if (covered.kid === kid && covered.untilMs >= untilMs) return true
    if (!(await coverKey(db, kid, untilMs + coverStepMs))) return false
    covered = { kid, untilMs: untilMs + coverStepMs }
    return true
  }

  const keys = {
    ...(await loadKeySet(db, secrets)),
    async refresh(): Promise<void> {
      if ((await findVersion(db)) !== keys.version) Object.assign(keys, await loadKeySet(db, secrets))
    },
    async findActiveUntil(untilMs: number): Promise<SigningKey> {
      const first = keys.active
      if (await cover(first, untilMs)) return first
      // The key is not published any more: this instance missed its rotation for longer than its tokens lived.
      await keys.refresh()
      const second = keys.active
      if (await cover(second, untilMs)) return second
      throw unavailable()
    },
  }
  return keys
}
