import { sql } from 'kysely'
import type { Secrets } from '../config/secrets.ts'
import type { Db } from '../db/schema.ts'
import { unavailable } from '../errors.ts'
import { openSigningKey, type SigningKey } from './signing-key.ts'

/** Clients that find an unknown kid ask again; anyone else need not within five minutes. */
export const jwksMaxAgeSeconds = 300

/**
 * The keys of the moment: what the properties hold may be another set at the next look.
 * `publicByHeader` has the active key and those of the keys that came before or come next.
 */
export type SigningKeys = Readonly<{
  active: SigningKey
  /** By the exact first segment of a token; PEM. */
  publicByHeader: ReadonlyMap<string, string>
  jwks: Readonly<{ keys: readonly SigningKey['jwk'][] }>
  /** Takes another set where there is one. Rejects with the reason, and then keeps the one it has. */
  refresh(): Promise<void>
  /**
   * The key for a token that is good until `untilMs`. It is published, and stays so until that token has
   * expired: the database knows of it before the token exists. Throws `unavailable` where no key is left.
   */
  findActiveUntil(untilMs: number): Promise<SigningKey>
}>

type KeySet = Pick<SigningKeys, 'active' | 'publicByHeader' | 'jwks'> & { version: string }

/** So that the database is told once a minute, not with every token. */
const coverStepMs = 60_000

const findVersion = async (db: Db): Promise<string> => {
  const { rows } = await sql<{ version: string }>`select signing_keys_version() as version`.execute(db)
  return rows[0]?.version ?? ''
}

/** The version is read first: where keys change in between, the next look finds another one again. */
const loadKeySet = async (db: Db, secrets: Secrets): Promise<KeySet> => {
  const version = await findVersion(db)
  const { rows } = await sql<{ kid: string; state: string; sealed: Buffer }>`
    select kid, state, sealed_private_key as sealed from list_signing_keys()`.execute(db)
  const keys = rows.map(({ kid, state, sealed }) => ({ ...openSigningKey(kid, sealed, secrets), state }))
  const active = keys.find((key) => key.state === 'active')
  if (!active) throw new Error('There is no active signing key: run "certdata migrate", which makes one')
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

/**
 * All signing keys, as the serving role reads them.
 * Throws where a key cannot be opened or none is active, saying what to do.
 */
export const loadSigningKeys = async (db: Db, secrets: Secrets): Promise<SigningKeys> => {
  let keySet = await loadKeySet(db, secrets)
  let covered = { kid: '', untilMs: 0 }

  const refresh = async () => {
    if ((await findVersion(db)) !== keySet.version) keySet = await loadKeySet(db, secrets)
  }

  const cover = async ({ kid }: SigningKey, untilMs: number): Promise<boolean> => {
    if (covered.kid === kid && covered.untilMs >= untilMs) return true
    if (!(await coverKey(db, kid, untilMs + coverStepMs))) return false
    covered = { kid, untilMs: untilMs + coverStepMs }
    return true
  }

  return {
    get active() {
      return keySet.active
    },
    get publicByHeader() {
      return keySet.publicByHeader
    },
    get jwks() {
      return keySet.jwks
    },
    refresh,
    async findActiveUntil(untilMs) {
      const first = keySet.active
      if (await cover(first, untilMs)) return first
      // The key that we knew is gone: we did not hear of it for longer than its tokens lived.
      await refresh()
      const second = keySet.active
      if (await cover(second, untilMs)) return second
      throw unavailable()
    },
  }
}
